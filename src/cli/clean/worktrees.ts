// Deletes worktrees without work that would be lost.

import type { Environment } from "../../machine/processes/environment.ts";
import { findBase, findRepository } from "../../repo/repository.ts";
import { removeWorktree } from "../../repo/worktree/remove.ts";
import { findWorktrees } from "../../store/project/find.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { Store } from "../../store/store.ts";
import { whileFree } from "./while-free.ts";

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
  const exclude = [...worktree.copy, ...worktree.link];
  for (const { id: storyId, path } of worktrees) {
    const request = { repository, storyId, baseCommit, exclude, isDryRun };
    const removal = await whileFree({ store, storyId, isDryRun }, (isFree) =>
      removeWorktree({ ...request, isLeased: !isFree }),
    );
    if (removal.removed) removed.push(path);
    else left.push(removal.why);
  }
  return { removed, left };
}
