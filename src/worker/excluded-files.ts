import { neverCommitted } from "../agent/place/sandbox.ts";
import type { PreparedWork } from "./context.ts";

/** Paths in the story's worktree that are never committed. */
export const excludedFiles = ({
  context: { agent, settings },
  worktree: folder,
  exclude,
}: PreparedWork): readonly string[] => neverCommitted({ agent, settings, folder, exclude });
