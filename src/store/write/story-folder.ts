// The folder to lock and write to for a story: that of its current copy.

import { SagaError } from "../../errors.ts";
import { findStory, type StoryPlace } from "../project/find.ts";
import { isWorktree, type Layout } from "../project/layout.ts";
import { requirePlace } from "../project/require.ts";
import type { SearchedFolder } from "./write-lock.ts";

/** Archived stories are finished and cannot be changed. */
function writablePlace(at: Layout, id: string): StoryPlace {
  const place = requirePlace(at, id);
  if (place.source !== "archive") return place;
  throw new SagaError("not-ready", `The story ${id} is in the archive.`, {
    hint: "Archived stories cannot be changed. Create a new story for the remaining work.",
  });
}

/** The worktree's copy is the current one for as long as it exists. */
export const storyFolder = (at: Layout, id: string): SearchedFolder => ({
  name: `story ${id}`,
  find: () => writablePlace(at, id).folder,
  isStillRight: (folder) => {
    const worktree = `${at.saga}/worktrees/${id}`;
    // The common case without a worktree costs one system call.
    if (!isWorktree(worktree)) return !folder.startsWith(`${worktree}/`);
    return findStory(at, id)?.folder === folder;
  },
});
