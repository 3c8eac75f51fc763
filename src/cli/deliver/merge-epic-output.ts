// What is said of the merge of an epic's own branch.

import type { EpicMergeResult } from "../../deliver/epic-merge.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import type { CommandResult } from "../program/command.ts";
import { adviceOn, hintOf, lineByLine, pullLine } from "./merge-command.ts";
import { lines } from "../output/terminal.ts";

export function epicMergedAnswer(epicId: string, merged: EpicMergeResult): CommandResult {
  const isDone = merged.kind === "merged";
  return {
    json: {
      epic: epicId,
      ...merged,
      ...(merged.kind === "checked-out" && hintOf(epicId, merged)),
    },
    text: (paint) =>
      `${sentences(epicId, merged)
        .map((sentence, at) =>
          isDone && at === 0 ? paint("green", lines(sentence)) : lines(sentence),
        )
        .join("\n")}\n`,
    exitCode: isDone ? EXIT.done : merged.kind === "checked-out" ? EXIT.notMerged : EXIT.error,
  };
}

function sentences(epicId: string, merged: EpicMergeResult): string[] {
  switch (merged.kind) {
    case "merged":
      return [
        merged.wasThere
          ? `The epic ${epicId} is merged into ${merged.into} already.`
          : `The epic ${epicId} is merged into ${merged.into} as ${merged.commit.slice(0, 12)}.`,
        ...pullLine(merged),
        ...merged.warnings,
      ];
    case "conflict": {
      const { branch, into, conflict } = merged;
      return [
        `The epic ${epicId} conflicts with ${into} in ${conflict.files.map(({ path }) => path).join(", ")}.`,
        `Resolve it in ${branch} (\`git switch ${branch} && git merge ${into}\`), then \`saga merge ${epicId}\` again.`,
      ];
    }
    case "refused":
      return [
        `The epic ${epicId} was not merged; nothing was changed. On top of its target: ${merged.reason}`,
      ];
    case "checked-out":
      return lineByLine(adviceOn(epicId, merged));
    case "moved":
      return [`${merged.why} Try again.`];
    case "stopped":
      return ["Stopped; nothing was changed."];
  }
}
