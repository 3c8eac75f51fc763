import type { Scope } from "../../agent/scope/scope.ts";
import { realStateFolder } from "../../machine/files/state-folder.ts";
import type { PreparedWork } from "../context.ts";

/** What an agent of this worker may touch when it works in this folder. */
export const storyAgentScope = (
  { repository, request, readable, context }: PreparedWork,
  worktree: string,
): Scope => ({
  project: repository.project,
  worktree,
  storyId: request.storyId,
  readable,
  hidden: [realStateFolder(context.env)],
  isSandboxed: context.settings.claude.sandbox,
});
