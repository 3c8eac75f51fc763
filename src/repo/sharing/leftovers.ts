// What the remote keeps of a story for the other machines of a fleet: its branch, the ref of its owner, and snapshots. Once
// the story has landed they are deleted, all or nothing, and only from where they were read. A snapshot is saved here
// first. One that holds work that did not land stays. Of a discarded story branch and snapshots go, and the ref says so.

import { deleteRemoteRefs, readRemoteRefs, type KnownRef } from "../remote-branch.ts";
import { gitError } from "../../machine/programs/git.ts";
import { commitOf, isAncestor } from "../refs.ts";
import { reasonIn, type Repository } from "../repository.ts";
import { storyBranch, storyOfBranch } from "../../story/definition/names.ts";
import {
  leaseRef,
  openFence,
  ownerAt,
  readStoryOwner,
  storyOfLeaseRef,
  type FenceOwner,
} from "./lease-ref.ts";
import { isSameDiscard, type Discard } from "./shared-discard.ts";
import { importSnapshot } from "./import-snapshot.ts";
import { snapshotOf, storyOfSnapshot, type SharedSnapshot } from "./shared-snapshots.ts";

export interface RemoteLeftovers {
  /** The commit of its branch. */
  readonly branch: string | undefined;
  /** The commit of the ref of its owner. */
  readonly lease: string | undefined;
  readonly snapshots: readonly SharedSnapshot[];
}

export const NO_LEFTOVERS: RemoteLeftovers = { branch: undefined, lease: undefined, snapshots: [] };

/** By story. `storyId`: of this one alone. */
export async function readLeftovers(
  repository: Repository,
  storyId = "*",
  stop?: AbortSignal,
): Promise<ReadonlyMap<string, RemoteLeftovers>> {
  const patterns = [
    `refs/heads/${storyBranch(storyId)}`,
    leaseRef(storyId),
    `refs/saga/keep/${storyId}/*`,
  ];
  const found = new Map<string, RemoteLeftovers>();
  for (const [ref, commit] of await readRemoteRefs(repository, patterns, stop)) {
    const add = (
      id: string | undefined,
      more: (known: RemoteLeftovers) => Partial<RemoteLeftovers>,
    ): void => {
      if (id === undefined) return;
      const known = found.get(id) ?? NO_LEFTOVERS;
      found.set(id, { ...known, ...more(known) });
    };
    const snapshot = snapshotOf(ref, commit);
    if (snapshot !== undefined) {
      add(storyOfSnapshot(ref), (known) => ({ snapshots: [...known.snapshots, snapshot] }));
    } else if (ref.startsWith("refs/heads/")) {
      add(storyOfBranch(ref.slice("refs/heads/".length)), () => ({ branch: commit }));
    } else add(storyOfLeaseRef(ref), () => ({ lease: commit }));
  }
  return found;
}

export interface LeftoverRemoval {
  readonly repository: Repository;
  readonly storyId: string;
  /** The lease that this process holds. */
  readonly owner: { readonly fence: number; readonly isMine: () => Promise<boolean> };
  /** The last commit of the story that landed. Undefined if it is unknown: then snapshots stay. */
  readonly tip: string | undefined;
  readonly leftovers: RemoteLeftovers;
  readonly stop?: AbortSignal | undefined;
}

export interface RemovedLeftovers {
  /** Why nothing was deleted. */
  readonly why: string | undefined;
  /** Snapshots that stay. */
  readonly kept: readonly string[];
}

export async function removeLeftovers(landed: LeftoverRemoval): Promise<RemovedLeftovers> {
  const { repository, storyId, owner, leftovers, stop } = landed;
  const { lease } = leftovers;
  const refs: KnownRef[] = [];
  if (leftovers.branch !== undefined) {
    refs.push({ ref: `refs/heads/${storyBranch(storyId)}`, commit: leftovers.branch });
  }
  if (lease !== undefined) {
    const { fence } = await ownerAt(repository, storyId, lease);
    if (fence > owner.fence) return { why: "another machine has taken the story over", kept: [] };
    refs.push({ ref: leaseRef(storyId), commit: lease });
  }
  const kept: string[] = [];
  for (const snapshot of leftovers.snapshots) {
    await importSnapshot(repository, storyId, snapshot);
    if (await isFollowed(repository, snapshot, landed.tip)) refs.push(snapshot);
    else kept.push(snapshot.ref);
  }
  if (refs.length === 0) return { why: undefined, kept };
  if (!(await owner.isMine())) return { why: "this machine has lost the story's lease", kept };
  return { why: await deleteRemoteRefs(repository, refs, stop), kept };
}

export interface RemoteDiscarding {
  readonly repository: Repository;
  readonly owner: FenceOwner;
  readonly discard: Discard;
  /** The commit of the story's branch at the remote, which is saved here. */
  readonly saved: string | undefined;
}

/** Throws if the remote did not take all of it: then nothing has changed there. */
export async function discardAtRemote({
  repository,
  owner,
  discard,
  saved,
}: RemoteDiscarding): Promise<void> {
  const { storyId } = owner;
  const { snapshots, branch } =
    (await readLeftovers(repository, storyId)).get(storyId) ?? NO_LEFTOVERS;
  for (const snapshot of snapshots) await importSnapshot(repository, storyId, snapshot);
  const gone: KnownRef[] = [...snapshots];
  if (branch !== undefined) {
    // If a person has pushed more to it meanwhile, the remote refuses all of it.
    gone.push({ ref: `refs/heads/${storyBranch(storyId)}`, commit: saved ?? "" });
  }
  const fence = await openFence(repository, owner, () => undefined, discard);
  const pushed = await fence.push(
    gone.map(({ ref }) => `:${ref}`),
    undefined,
    gone.map(({ ref, commit }) => `${ref}:${commit}`),
  );
  if (pushed.isOk) return;
  // It may have arrived with its answer lost.
  const there = await readStoryOwner(repository, storyId).catch(() => undefined);
  if (isSameDiscard(there?.discard, discard)) return;
  throw gitError(
    `${storyId} was not discarded: ${repository.remote?.name} did not accept it: ${reasonIn(pushed.stderr)}`,
  );
}

/** Whether commits that landed came after it on the same branch. */
async function isFollowed(
  { git }: Repository,
  { commit }: SharedSnapshot,
  tip: string | undefined,
): Promise<boolean> {
  const head = await commitOf(git, `${commit}^1`);
  if (head === undefined || tip === undefined || head === tip) return false;
  return isAncestor(git, head, tip);
}
