// The folder to lock and write to for a story: its true copy, wherever that is at the moment.

import { SagaError } from "../../errors.ts";
import { findStory, type StoryPlace } from "../project/find.ts";
import { isWorktree, type Layout } from "../project/layout.ts";
import { requirePlace } from "../project/require.ts";
import type { SearchedFolder } from "./write-lock.ts";

/** What is archived is finished: nothing is added to it. */
function writablePlace(at: Layout, id: string): StoryPlace {
  const place = requirePlace(at, id);
  if (place.source !== "archive") return place;
  throw new SagaError("not-ready", `The story ${id} is in the archive.`, {
    hint: "What is archived is finished; create a new story for what is left.",
  });
}

/** The worktree's copy is the true one from the moment it is there until it is gone. */
export const storyFolder = (at: Layout, id: string): SearchedFolder => ({
  name: `story ${id}`,
  find: () => writablePlace(at, id).folder,
  isStillRight: (folder) => {
    const worktree = `${at.saga}/worktrees/${id}`;
    // Without a worktree there is only one answer, and it costs one look.
    if (!isWorktree(worktree)) return !folder.startsWith(`${worktree}/`);
    return findStory(at, id)?.folder === folder;
  },
});
