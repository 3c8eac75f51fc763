// The folder to lock and write to for a story: that of its current copy.

import { SagaError } from "../../errors.ts";
import { findStory, type StoryPlace } from "../project/find.ts";
import { isWorktree, type Layout } from "../project/layout.ts";
import { requirePlace } from "../project/require.ts";
import type { SearchedFolder } from "./write-lock.ts";

/** Archived stories are finished and cannot be changed. What is changed here would not reach another machine. */
function writablePlace(at: Layout, id: string): StoryPlace {
  const place = requirePlace(at, id);
  if (place.source === "elsewhere") throw changedElsewhere(id);
  if (place.source !== "archive") return place;
  throw new SagaError("not-ready", `The story ${id} is in the archive.`, {
    hint: "Archived stories cannot be changed. Create a new story for the remaining work.",
  });
}

export const changedElsewhere = (id: string): SagaError =>
  new SagaError("in-use", `The current files of ${id} are on another machine of the fleet.`, {
    hint: `\`saga fleet status\` names it: run the command there, or bring the story here with \`saga run ${id}\`.`,
  });

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
