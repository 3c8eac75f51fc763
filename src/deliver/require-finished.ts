// Refuses to decide on a story with open tasks, and on one whose worktree was removed before its work was merged: the
// current story files are gone with it, and the project's copy is older.

import { SagaError } from "../errors.ts";
import { count } from "../text/plural.ts";
import type { StoryWork } from "./story-work.ts";

interface Decision {
  /** `merge cart`. */
  readonly what: string;
  /** What to do about open tasks. By default: continue the story. */
  readonly hint?: string | undefined;
}

type Decided = Pick<StoryWork, "branch"> & {
  readonly record: Pick<StoryWork["record"], "source" | "tasks"> & {
    readonly story: { readonly id: string };
  };
};

/** A story without tasks is not finished either. */
export function requireFinished({ record, branch }: Decided, { what, hint }: Decision): void {
  const { source, tasks, story } = record;
  const left = tasks.filter(({ status }) => status !== "completed").length;
  if (source === "project" && left > 0) {
    throw new SagaError(
      "not-ready",
      `The worktree of ${story.id} is missing; its work is on the branch ${branch}.`,
      { hint: `Create the worktree again from the branch: \`saga run ${story.id}\`.` },
    );
  }
  if (left === 0 && tasks.length > 0) return;
  throw new SagaError("not-ready", `Cannot ${what}: it is not finished.`, {
    hint:
      hint ??
      `${left} of ${count(tasks.length, "task")} ${left === 1 ? "is" : "are"} not completed. Continue it: \`saga run ${story.id}\`.`,
  });
}
