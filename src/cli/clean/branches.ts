// Deletes branches of merged stories, here and at the remote. A merge that was killed leaves its branch behind, and the
// remote may have refused.

import { SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { findRepository, type Repository } from "../../repo/repository.ts";
import {
  findMergedBranch,
  removeAtRemote,
  removeMergedBranch,
} from "../../repo/delivery/merged-branch.ts";
import { canPush, openForge } from "../../repo/open-forge.ts";
import { readDeliveries } from "../../repo/records/delivery-record.ts";
import { commitOf } from "../../repo/refs.ts";
import { readRemoteBranches } from "../../repo/remote-branch.ts";
import type { Store } from "../../store/store.ts";
import { storyBranch, storyOfBranch } from "../../story/definition/names.ts";
import { cleanSharedRefs } from "./shared-refs.ts";
import { withFreeLease } from "./with-lease.ts";
import type { Context } from "../../context.ts";

export interface CleanedBranches {
  readonly removed: readonly string[];
  /** A sentence for each that the remote still has. */
  readonly left: readonly string[];
}

export async function cleanBranches(
  store: Store,
  env: Environment,
  isDryRun: boolean,
): Promise<CleanedBranches> {
  const repository = await openRepository(store, env);
  if (repository === undefined) return { removed: [], left: [] };
  const removed: string[] = [];
  for (const storyId of await listStories(repository, "refs/heads/")) {
    const isGone = await withFreeLease({ store, storyId, isDryRun }, async (isFree) => {
      if (!isFree) return false;
      if (isDryRun) return (await findMergedBranch(repository, storyId)) !== undefined;
      return removeMergedBranch(repository, storyId);
    });
    if (isGone) removed.push(`branch ${storyBranch(storyId)}`);
  }
  const atRemote = await cleanRemote({ store, env, isDryRun, repository }).catch(onlySentence);
  return { removed: [...removed, ...atRemote.removed], left: atRemote.left };
}

/** The stories with a branch below that place. */
async function listStories({ git }: Repository, place: string): Promise<string[]> {
  const refs = (await git.ask(["for-each-ref", "--format=%(refname)", `${place}story/`])).split(
    "\n",
  );
  return refs.flatMap((ref) => storyOfBranch(ref.slice(place.length)) ?? []);
}

interface RemoteCleaning extends Pick<Context, "store" | "env" | "repository"> {
  readonly isDryRun: boolean;
}

/** Asks the remote only if it is known to have a branch of a delivered story. */
async function cleanRemote(cleaning: RemoteCleaning): Promise<CleanedBranches> {
  const { store, env, isDryRun, repository } = cleaning;
  const { remote, git } = repository;
  const removed: string[] = [];
  const left: string[] = [];
  const settings = await store.settings();
  const forge = openForge(repository, { settings, env, now: Date.now });
  if (remote === undefined || !canPush(repository, settings, forge)) return { removed, left };
  if (settings.fleet.name !== undefined) return cleanSharedRefs(cleaning);
  const delivered: string[] = [];
  for (const storyId of await listStories(repository, `refs/remotes/${remote.name}/`)) {
    if ((await readDeliveries(git, storyId)).done !== undefined) delivered.push(storyId);
  }
  if (delivered.length === 0) return { removed, left };
  const branches = await readRemoteBranches(repository, "story/*");
  for (const storyId of delivered) {
    const branch = storyBranch(storyId);
    const removal = await withFreeLease({ store, storyId, isDryRun }, async (isFree) => {
      const isHere = (await commitOf(git, `refs/heads/${branch}`)) !== undefined;
      // A branch here that was not deleted is in use. A dry run has deleted none.
      const isInUse = isHere && !(isDryRun && (await findMergedBranch(repository, storyId)));
      if (!isFree || isInUse) return undefined;
      const there = branches.get(branch);
      return removeAtRemote({ repository, storyId, forge, there, isDryRun });
    });
    if (removal?.why !== undefined) left.push(removal.why);
    else if (removal !== undefined) removed.push(`branch ${remote.name}/${branch}`);
  }
  return { removed, left };
}

/** A remote or forge that cannot be reached does not stop the rest of the cleaning. */
function onlySentence(error: unknown): CleanedBranches {
  if (error instanceof SagaError) return { removed: [], left: [error.message] };
  throw error;
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
