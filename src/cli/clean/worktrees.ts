// Deletes worktrees of merged stories without work that would be lost. The worktree of any other story stays: its
// current files are there, and without them the story would read as unfinished.

import { SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { findBase, findRepository } from "../../repo/repository.ts";
import { removeWorktree } from "../../repo/worktree/remove.ts";
import { providedPaths } from "../../repo/worktree/provision.ts";
import { findStory, findWorktrees } from "../../store/project/find.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { Store } from "../../store/store.ts";
import { readCheckoutCopy } from "../../store/views/checkout-copy.ts";
import { attentionTo } from "../../store/views/attention.ts";
import { isMerged, type StoryView } from "../../store/views/overview.ts";
import { shownWord } from "../../story/state/attention.ts";
import { withFreeLease } from "./with-lease.ts";

export interface CleanedWorktrees {
  readonly removed: readonly string[];
  /** Why each of the others was kept. */
  readonly left: readonly string[];
}

export async function cleanWorktrees(
  store: Store,
  env: Environment,
  isDryRun: boolean,
): Promise<CleanedWorktrees> {
  const removed: string[] = [];
  const left: string[] = [];
  const worktrees = findWorktrees(layoutOf(store.project));
  if (worktrees.length === 0) return { removed, left };
  const repository = await findRepository(store.project, env);
  const { git, worktree } = await store.settings();
  const { commit: baseCommit } = await findBase(repository, git.base);
  const exclude = providedPaths(worktree);
  // Read before this command takes a lease, which would read as a worker.
  const { stories, archived } = await store.overview();
  for (const { id: storyId, path } of worktrees) {
    const request = { repository, storyId, baseCommit, exclude, isDryRun };
    await withFreeLease({ store, storyId, isDryRun }, async (isFree) => {
      if (isFree && !archived.has(storyId) && (await needsWorktree(store, storyId))) {
        left.push(neededText(path, stories.get(storyId)));
        return;
      }
      const removal = await removeWorktree({ ...request, isLeased: !isFree });
      if (removal.removed) removed.push(path);
      else left.push(removal.why);
    });
  }
  return { removed, left };
}

/** Whether the story exists, and would not read as completed without its worktree. */
async function needsWorktree(store: Store, storyId: string): Promise<boolean> {
  const at = layoutOf(store.project);
  const place = findStory(at, storyId);
  if (place === undefined) return false;
  try {
    const { lastRun, record } = await store.viewStory(storyId);
    if (lastRun.outcome === "merged") return false;
    return !isMerged(record.source === "worktree" ? readCheckoutCopy(at, record) : record);
  } catch (error) {
    // Invalid files: only a person can tell.
    if (error instanceof SagaError) return true;
    throw error;
  }
}

const neededText = (path: string, view: StoryView | undefined): string =>
  view === undefined
    ? `${path}: the files of its story cannot be read.`
    : `${path}: its story is not merged (${shownWord(view.state, attentionTo(view)?.kind)}).`;
