// The branch of a delivered story. The record of the delivery keeps its commits reachable.

import { storyBranch } from "../../story/definition/names.ts";
import type { Repository } from "../repository.ts";
import { readDeliveries } from "../records/delivery-record.ts";
import { checkoutOf } from "../worktree/checked-out.ts";
import { commitOf, deleteRef, moveRef } from "../refs.ts";

const refOf = (storyId: string): string => `refs/heads/${storyBranch(storyId)}`;

/** The branch's commit, if all of it is delivered and no checkout has it: then it can be deleted without loss. */
export async function findMergedBranch(
  repository: Repository,
  storyId: string,
): Promise<string | undefined> {
  const tip = await commitOf(repository.git, refOf(storyId));
  const { done } = await readDeliveries(repository.git, storyId);
  if (tip === undefined || done?.tip !== tip) return undefined;
  const folder = await checkoutOf(repository, storyBranch(storyId));
  return folder === undefined ? tip : undefined;
}

/** Deletes the branch only at the commit that was found, so a new commit prevents it. */
export async function removeMergedBranch(
  repository: Repository,
  storyId: string,
): Promise<boolean> {
  const tip = await findMergedBranch(repository, storyId);
  return tip !== undefined && (await deleteRef(repository.git, refOf(storyId), tip)).isOk;
}

/** For a story that its target no longer contains. */
export async function restoreBranch(
  { git }: Repository,
  storyId: string,
): Promise<string | undefined> {
  const { done } = await readDeliveries(git, storyId);
  if (done === undefined) return undefined;
  await moveRef(git, { ref: refOf(storyId), to: done.tip, from: undefined });
  return commitOf(git, refOf(storyId));
}
