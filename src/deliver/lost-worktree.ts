// A story whose worktree was removed while its work was not merged. What its files said went with it, and
// the project's own copy is older: nobody decides by that.

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
