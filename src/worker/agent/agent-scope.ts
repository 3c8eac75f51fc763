import type { Scope } from "../../agent/scope/scope.ts";
import { realStateFolder } from "../../machine/files/state-folder.ts";
import type { PlacedWork } from "../work.ts";

/** What an agent of this worker may touch, in the folder that it works in. */
export const scopeOfAgent = (
  { repository, order, readable, around, settings }: PlacedWork,
  worktree: string,
): Scope => ({
  project: repository.project,
  worktree,
  storyId: order.storyId,
  readable,
  hidden: [realStateFolder(around.env)],
  isSandboxed: settings.claude.sandbox,
});
