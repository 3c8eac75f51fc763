// Refuses to decide on a story whose worktree was removed before its work was merged: the current story files are gone
// with it, and the project's copy is older.

import { SagaError } from "../errors.ts";
import type { StoryWork } from "./story-work.ts";

export function requireWorktree({ record, branch }: Pick<StoryWork, "record" | "branch">): void {
  const { id } = record.story;
  const isFinished = record.tasks.every(({ status }) => status === "completed");
  if (record.source !== "project" || isFinished) return;
  throw new SagaError("not-ready", `The worktree of ${id} is gone; ${branch} has what was done.`, {
    hint: `\`saga run ${id}\` makes it again from there, and runs its gate.`,
  });
}
