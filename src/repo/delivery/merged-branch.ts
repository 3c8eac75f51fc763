// The branch of a delivered story, here and at the remote. The record of the delivery keeps its commits reachable, so it
// can be deleted without loss.

import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "../../context.ts";
import type { PullRequest } from "../../machine/forge/forge.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { canPush, openForge } from "../open-forge.ts";
import { readDeliveries } from "../records/delivery-record.ts";
import { commitOf, deleteRef, isAncestor, moveRef } from "../refs.ts";
import { deleteRemoteBranch, forgetRemoteBranch, readRemoteBranches } from "../remote-branch.ts";
import type { LandedElsewhere } from "../sharing/landed-elsewhere.ts";
import {
  NO_LEFTOVERS,
  readLeftovers,
  removeLeftovers,
  type LeftoverRemoval,
  type RemoteLeftovers,
} from "../sharing/leftovers.ts";
import type { Repository } from "../repository.ts";
import { checkoutOf } from "../worktree/checked-out.ts";

const refOf = (storyId: string): string => `refs/heads/${storyBranch(storyId)}`;

/** The branch's commit, if all of it is delivered and no checkout has it. */
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

interface MergedStory extends Pick<Context, "repository" | "settings" | "env" | "now"> {
  readonly storyId: string;
  /** The story's lease, if this process holds it. */
  readonly lease: LeftoverRemoval["owner"] | undefined;
  readonly stop?: AbortSignal | undefined;
  readonly warnings: string[];
}

/** After a merge, where Saga pushes: deletes the branch at the remote. Warns if that still has it. */
export async function removeMergedRemoteBranch(story: MergedStory): Promise<void> {
  const { repository, settings, storyId, stop, lease } = story;
  const forge = openForge(repository, story);
  if (!canPush(repository, settings, forge)) return;
  const branch = storyBranch(storyId);
  const removing = { repository, storyId, forge, stop, isPatient: true };
  let removal: RemoteRemoval | undefined;
  if (settings.fleet.name === undefined) {
    const there = (await readRemoteBranches(repository, branch, stop)).get(branch);
    removal = await removeAtRemote({ ...removing, there });
  } else if (lease !== undefined) {
    const leftovers = (await readLeftovers(repository, storyId, stop)).get(storyId) ?? NO_LEFTOVERS;
    const there = leftovers.branch;
    removal = await removeAtRemote({ ...removing, there, shared: { owner: lease, leftovers } });
  }
  if (removal?.why !== undefined) story.warnings.push(`${removal.why} ${RETRY}`);
}

const RETRY = "`saga clean` tries again to delete it.";

export interface RemoteBranch extends Pick<Context, "repository" | "forge"> {
  readonly storyId: string;
  /** The branch's commit at the remote. */
  readonly there: string | undefined;
  /** In a fleet: what else the remote has of it, and the lease of this process. */
  readonly shared?:
    | (Pick<LeftoverRemoval, "owner"> & { readonly leftovers: RemoteLeftovers })
    | undefined;
  /** What landed, if the record of this clone does not show it: another machine may have landed it. */
  readonly landed?: LandedElsewhere | undefined;
  readonly isDryRun?: boolean | undefined;
  /** Waits a moment for GitHub to see the merge. */
  readonly isPatient?: boolean | undefined;
  readonly stop?: AbortSignal | undefined;
}

export interface RemoteRemoval {
  readonly why: string | undefined;
  /** A sentence about what stays because it did not land. */
  readonly kept?: string;
}

/**
 * Deletes the remote's branch of a delivered story if all of it was delivered. `why` is a sentence if it was not
 * deleted. Undefined if there is nothing to delete, or if the target has lost the story: it will be needed.
 */
export async function removeAtRemote(request: RemoteBranch): Promise<RemoteRemoval | undefined> {
  const { repository, storyId, there, shared, isDryRun = false, stop } = request;
  const { git, remote } = repository;
  const done = request.landed ?? (await readDeliveries(git, storyId)).done;
  if (remote === undefined || done === undefined) return undefined;
  const branch = storyBranch(storyId);
  if (there === undefined) {
    const known = { branch, commit: done.tip ?? "" };
    if (!isDryRun) await forgetRemoteBranch(repository, known);
    if (shared === undefined || isEmpty(shared.leftovers)) return undefined;
  }
  const target = `refs/remotes/${remote.name}/${done.target}`;
  if (!(await isAncestor(git, done.commit, target))) return undefined;
  const left = (why: string) => ({ why: `${remote.name} still has ${branch}: ${why}.` });
  // It may be behind: Saga commits a person's note or edit with the merge, and does not push it before.
  if (there !== undefined && !(await isAncestor(git, there, done.tip ?? ""))) {
    return left("it has commits that were not merged");
  }
  const pull = await readPull(request, branch);
  if (pull !== undefined && pull !== "merged") {
    return left(`its pull request is ${pull}, not merged`);
  }
  if (isDryRun) return { why: undefined };
  if (shared === undefined && there !== undefined) {
    const why = await deleteRemoteBranch(repository, { branch, commit: there }, stop);
    return why === undefined ? { why } : left(why);
  }
  if (shared === undefined) return undefined;
  const { why, kept } = await removeLeftovers({
    ...shared,
    repository,
    storyId,
    tip: done.tip,
    stop,
  });
  if (why !== undefined) return left(why);
  if (there !== undefined) await forgetRemoteBranch(repository, { branch, commit: there });
  return kept.length === 0 ? { why } : { why, kept: keptText(remote.name, kept) };
}

const isEmpty = ({ lease, snapshots }: RemoteLeftovers): boolean =>
  lease === undefined && snapshots.length === 0;

const keptText = (remote: string, kept: readonly string[]): string =>
  `${remote} still has ${kept.join(", ")}: uncommitted work that did not land. It is in \`saga snapshot list\` here.`;

/** GitHub detects a merge within seconds, and would show the pull request of a deleted branch as closed. */
const PULL_READS = 2;
const PULL_WAIT_MS = 1_000;

/** The state of the branch's pull request on GitHub. */
async function readPull(
  { forge, isPatient = false, stop }: RemoteBranch,
  branch: string,
): Promise<PullRequest["state"] | undefined> {
  if (forge.kind !== "github") return undefined;
  for (let read = 1; ; read++) {
    const state = (await forge.find(branch))?.state;
    if (state !== "open" || !isPatient || read === PULL_READS || stop?.aborted) return state;
    await wait(PULL_WAIT_MS, undefined, { signal: stop }).catch(() => undefined);
  }
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
