// The result of merging a story, or an epic's own branch, as text and JSON.

import type { EpicMergeResult } from "../../deliver/epic/merge.ts";
import { mergedSentence } from "../../deliver/earlier-merge.ts";
import type { CheckedOut, MergeResult } from "../../deliver/merge.ts";
import {
  adviceHint,
  checkoutAdvice,
  checkoutQuestion,
} from "../../story/receipts/checkout-advice.ts";
import { EXIT, type ExitCode } from "../../story/state/exit-codes.ts";
import type { CommandResult } from "../program/command.ts";
import { lines } from "../output/terminal.ts";

type Merged = MergeResult | EpicMergeResult;

export const mergeResult = (storyId: string, merged: MergeResult): CommandResult =>
  resultOf("story", storyId, merged);

export const epicMergeResult = (epicId: string, merged: EpicMergeResult): CommandResult =>
  resultOf("epic", epicId, merged);

function resultOf(kind: "story" | "epic", id: string, merged: Merged): CommandResult {
  const hint = merged.kind === "checked-out" && hintOf(id, merged);
  const [first = "", ...more] = sentences(kind, id, merged);
  const isDone = merged.kind === "merged";
  return {
    json: { [kind]: id, ...merged, ...hint },
    // The first sentence is green if it is done.
    text: (paint) =>
      `${[isDone ? paint("green", lines(first)) : lines(first), ...more.map(lines)].join("\n")}\n`,
    exitCode: exitCodeOf(merged),
  };
}

function exitCodeOf(merged: Merged): ExitCode {
  switch (merged.kind) {
    case "merged":
      return EXIT.done;
    case "checked-out":
      return EXIT.notMerged;
    case "conflict":
      // With a task, the agent resolves it; an epic's is resolved by hand.
      return "branch" in merged || merged.taskId !== undefined ? EXIT.error : EXIT.question;
    default:
      return EXIT.error;
  }
}

const adviceOn = (id: string, found: CheckedOut) =>
  checkoutAdvice({ ...found, id, isVerified: found.commit !== undefined });

/** Also used by the dashboard. */
function hintOf(id: string, found: CheckedOut) {
  const advice = adviceOn(id, found);
  return {
    message: advice.message,
    hint: adviceHint(advice),
    question: checkoutQuestion({ ...found, id }),
  };
}

function sentences(kind: "story" | "epic", id: string, merged: Merged): string[] {
  const isEpic = kind === "epic";
  const name = isEpic ? `Epic ${id}` : id;
  switch (merged.kind) {
    case "merged": {
      const { into, commit, wasThere, worktree, pull, warnings } = merged;
      return [
        wasThere
          ? isEpic
            ? `${name} is already merged into ${into}.`
            : mergedSentence({ storyId: id, into, commit })
          : `${name}: merged into ${into} (${commit.slice(0, 12)}).`,
        ...(worktree === undefined ? [] : [`Its worktree was kept: ${worktree}`]),
        ...(pull === undefined
          ? []
          : [`${into} here is behind the remote now: \`${pull}\` updates it.`]),
        ...warnings,
      ];
    }
    case "conflict": {
      const paths = merged.conflict.files.map(({ path }) => path).join(", ");
      if ("branch" in merged) {
        const { branch, into } = merged;
        return [
          `${name} conflicts with ${into} in ${paths}.`,
          `Resolve it in ${branch} (\`git switch ${branch} && git merge ${into}\`), then \`saga merge ${id}\` again.`,
        ];
      }
      return [
        `${name} conflicts with its target in ${paths}.`,
        merged.taskId === undefined
          ? `Its agent already resolved a conflict once, so this time you decide. See both sides: \`saga journal ${id} --open\`. Answer and continue: \`saga resolve ${id} "…" --run\`.`
          : `Its agent can resolve it: \`saga run ${id}\`, then \`saga merge ${id}\` again.`,
      ];
    }
    case "refused":
      return [
        `${name} was not merged: on top of its target, its gate refused it. ${merged.reason}${isEpic ? " Nothing was changed." : ""}`,
        ...(merged.taskId === undefined
          ? []
          : [
              `Its target is merged into its branch, and its agent has the task ${merged.taskId} to fix it: \`saga run ${id}\`, then \`saga merge ${id}\` again.`,
            ]),
      ];
    case "checked-out": {
      const { message, toDo, command, always } = adviceOn(id, merged);
      return [message, toDo, `  ${command}`, ...(always === undefined ? [] : [always])];
    }
    case "moved":
      return [`${merged.why} Try again.`];
    case "dropped":
      return [`${name} was not merged: ${merged.by} took it out of the queue.`];
    case "stopped":
      return [
        merged.isUncertain
          ? `Stopped. Another process was killed while it merged ${id}: \`saga merge ${id}\` shows whether it is merged.`
          : "Stopped; nothing was changed.",
      ];
  }
}
