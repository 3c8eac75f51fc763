// Deletes branches of merged stories. A merge that was killed leaves its branch behind, as did older versions of Saga.

import { SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { findRepository, type Repository } from "../../repo/repository.ts";
import { findMergedBranch, removeMergedBranch } from "../../repo/delivery/merged-branch.ts";
import type { Store } from "../../store/store.ts";
import { storyOfBranch } from "../../story/definition/names.ts";
import { whileFree } from "./while-free.ts";

export async function cleanBranches(
  store: Store,
  env: Environment,
  isDryRun: boolean,
): Promise<string[]> {
  const repository = await openRepository(store, env);
  if (repository === undefined) return [];
  const format = "--format=%(refname:lstrip=2)";
  const listed = await repository.git.ask(["for-each-ref", format, "refs/heads/story/"]);
  const removed: string[] = [];
  for (const branch of listed.split("\n")) {
    const storyId = storyOfBranch(branch);
    if (storyId === undefined) continue;
    const isGone = await whileFree({ store, storyId, isDryRun }, async (isFree) => {
      if (!isFree) return false;
      if (isDryRun) return (await findMergedBranch(repository, storyId)) !== undefined;
      return removeMergedBranch(repository, storyId);
    });
    if (isGone) removed.push(`branch ${branch}`);
  }
  return removed;
}

/** A project without git has no branches. */
async function openRepository(store: Store, env: Environment): Promise<Repository | undefined> {
  try {
    return await findRepository(store.project, env);
  } catch (error) {
    if (error instanceof SagaError) return undefined;
    throw error;
  }
}
