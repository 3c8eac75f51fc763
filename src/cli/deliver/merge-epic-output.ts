// The result of merging an epic's own branch, as text and JSON.

import type { EpicMergeResult } from "../../deliver/epic/merge.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import type { CommandResult } from "../program/command.ts";
import {
  adviceOn,
  hintOf,
  adviceLines,
  droppedSentence,
  mergeText,
  pullLine,
  stoppedSentence,
} from "./merge-command.ts";

export function epicMergeResult(epicId: string, merged: EpicMergeResult): CommandResult {
  const isDone = merged.kind === "merged";
  return {
    json: { epic: epicId, ...merged, ...(merged.kind === "checked-out" && hintOf(epicId, merged)) },
    text: mergeText(isDone, sentences(epicId, merged)),
    exitCode: isDone ? EXIT.done : merged.kind === "checked-out" ? EXIT.notMerged : EXIT.error,
  };
}

function sentences(epicId: string, merged: EpicMergeResult): string[] {
  switch (merged.kind) {
    case "merged":
      return [
        merged.wasThere
          ? `Epic ${epicId} is already merged into ${merged.into}.`
          : `Epic ${epicId}: merged into ${merged.into} (${merged.commit.slice(0, 12)}).`,
        ...pullLine(merged),
        ...merged.warnings,
      ];
    case "conflict": {
      const { branch, into, conflict } = merged;
      return [
        `Epic ${epicId} conflicts with ${into} in ${conflict.files.map(({ path }) => path).join(", ")}.`,
        `Resolve it in ${branch} (\`git switch ${branch} && git merge ${into}\`), then \`saga merge ${epicId}\` again.`,
      ];
    }
    case "refused":
      return [
        `Epic ${epicId} was not merged: combined with its target, it was refused. ${merged.reason} Nothing was changed.`,
      ];
    case "checked-out":
      return adviceLines(adviceOn(epicId, merged));
    case "moved":
      return [`${merged.why} Try again.`];
    case "dropped":
      return [droppedSentence(`Epic ${epicId}`, merged.by)];
    case "stopped":
      return [stoppedSentence(epicId, merged)];
  }
}
