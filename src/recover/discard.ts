// Discards a story's work: saves everything in a snapshot, closes the pull request, removes worktree and branch here and at
// the remote, and resets the story. Every step can be killed and repeated: it continues with what is left, and nothing is
// removed before it is saved. In a fleet the remote carries the discard, and every other machine follows it
// (`follow-discard.ts`).

import type { Context } from "../context.ts";
import { SagaError } from "../errors.ts";
import { fetchStory, findBase } from "../repo/repository.ts";
import { readSnapshots, type Snapshot } from "../repo/snapshots/snapshot.ts";
import { snapshotStory } from "../repo/rescue/snapshot-story.ts";
import type { Situation } from "../repo/worktree/situation.ts";
import { fenceOwner, type FenceOwner } from "../repo/sharing/lease-ref.ts";
import { noteFollowed } from "../repo/sharing/shared-discard.ts";
import { providedPaths } from "../repo/worktree/provision.ts";
import { findStory } from "../store/project/find.ts";
import { layoutOf } from "../store/project/layout.ts";
import { storyInUse } from "../store/leases/in-use.ts";
import { storyLease } from "../store/leases/lease-names.ts";
import { notFound } from "../store/project/require.ts";
import { endProcessesOf, unfinished } from "../store/runs/run-processes.ts";
import type { Store } from "../store/store.ts";
import { isPoolName, requireId } from "../story/definition/names.ts";
import type { NewEntry } from "../story/definition/journal.ts";
import type { Run } from "../story/state/run.ts";
import { hasBegun } from "../story/state/state.ts";
import { removeHere, repairWorktree } from "./remove-here.ts";
import { pullRequestName } from "../text/pull-request-name.ts";
import { withdraw, type SharedDiscard } from "./withdraw.ts";

export interface DiscardRequest extends Pick<
  Context,
  "store" | "repository" | "settings" | "env" | "now"
> {
  readonly storyId: string;
  /** In a fleet, when the remote has the discard, and before another machine can take the story again. */
  readonly onShared?: (() => Promise<void>) | undefined;
}

export interface DiscardResult {
  readonly storyId: string;
  /** False when there was nothing to discard. */
  readonly isDone: boolean;
  /** The number of the snapshot to restore it from. */
  readonly snapshot: number | undefined;
  /** The folder that was removed. */
  readonly worktree: string | undefined;
  readonly branch: { readonly name: string; readonly commit: string } | undefined;
  /** The pull request that was closed, now or before. */
  readonly pullRequest: string | undefined;
  /** How many processes were ended. */
  readonly processes: number;
  /** What could not be removed, in sentences. */
  readonly left: readonly string[];
}

/** Only processes on other machines judge by this. Long, because a forge and a large repository take their time. */
const TTL_MS = 600_000;

export async function discardStory(request: DiscardRequest): Promise<DiscardResult> {
  const { store } = request;
  const storyId = requireId("story", request.storyId);
  await requireDiscardable(store, storyId);
  const wasLeased = (await store.leases.read(storyLease(storyId))) !== undefined;
  const claim = await store.leases.acquire(storyLease(storyId), {
    owner: "saga discard",
    ttlMs: TTL_MS,
  });
  if (!claim.lease) throw storyInUse(storyId, claim.heldBy.owner);
  try {
    const owner = fenceOwner(storyId, claim.lease);
    return await discard({ ...request, storyId }, { wasLeased, owner });
  } finally {
    await claim.lease.release();
  }
}

/** Throws before anything is done, and before the person is asked. */
export async function requireDiscardable(store: Store, storyId: string): Promise<void> {
  if (isPoolName(storyId)) throw notFound("story", storyId);
  const lease = await store.leases.read(storyLease(storyId));
  if (lease?.life === "alive") throw storyInUse(storyId, lease.record.owner);
  const { stories, archived } = await store.overview();
  const view = stories.get(storyId);
  if (view === undefined && archived.has(storyId)) {
    throw new SagaError("not-ready", `The story ${storyId} is in the archive.`, {
      hint: "Archived stories are finished: there is nothing to discard.",
    });
  }
  // A story with invalid files is not in the overview, but exists.
  if (view === undefined && findStory(layoutOf(store.project), storyId) === undefined) {
    throw notFound("story", storyId);
  }
  if (view?.state === "completed") {
    throw new SagaError("not-ready", `The story ${storyId} is completed and merged.`, {
      hint: "Undo a merge with `git revert`; remove leftovers with `saga clean`.",
    });
  }
}

interface DiscardOwner {
  /** The story had a lease before. */
  readonly wasLeased: boolean;
  readonly owner: FenceOwner | undefined;
}

async function discard(
  request: DiscardRequest,
  { wasLeased, owner }: DiscardOwner,
): Promise<DiscardResult> {
  const { store, repository, settings, storyId, now } = request;
  const runs = await store.listRuns(storyId);
  const base = await findBase(repository, settings.git.base);
  // What another machine pushed is saved here, too.
  if (owner !== undefined) await fetchStory(repository, storyId);

  // 1. End what the dead worker left running, and repair the worktree.
  const processes = await endProcessesOf(unfinished(runs));
  const situation = await repairWorktree(request, base);
  if (!wasLeased && !(await isBegun(store, situation, runs))) return nothingToDiscard(request);

  // 2. Save everything: files, the index, and every commit.
  await store.reclaimStory(storyId);
  const exclude = providedPaths(settings.worktree);
  const saving = { repository, storyId, exclude, baseCommit: base.commit };
  const saved = await snapshotStory(saving);

  // 3. Close the pull request, and delete the remote branch. In a fleet the other machines know of the discard from here on.
  const at = new Date(now()).toISOString();
  const shared: SharedDiscard | undefined = owner && { owner, discard: { fence: owner.fence, at } };
  const { pullRequest, left } = await withdraw(request, situation, shared);
  await request.onShared?.();

  // 4. Remove what this machine has.
  const removed = await removeHere(request, {
    saving,
    situation,
    runs,
    async onRemoved(last) {
      const snapshot = last ?? saved ?? (await newestDiscarded(request));
      // In a fleet all machines have the same files of a story, from the base: no entry is added to those of one of them.
      const entry = owner ? undefined : journalEntry(request, snapshot, pullRequest);
      await store.resetStory(storyId, entry);
      return snapshot;
    },
  });
  if (shared) await noteFollowed(repository.git, storyId, shared.discard);
  await store.writeEpicsSnapshot();
  return {
    storyId,
    isDone: true,
    snapshot: removed.snapshot?.number,
    worktree: removed.worktree,
    branch: removed.branch,
    pullRequest,
    processes,
    left: [...left, ...removed.left],
  };
}

async function isBegun(
  store: Store,
  { place, local, theirs, lost, storyId }: Situation,
  runs: readonly Run[],
): Promise<boolean> {
  if (place.kind !== "free" || lost.length > 0) return true;
  if (local !== undefined || theirs !== undefined) return true;
  const [last] = runs;
  if (last !== undefined && last.discardedAt === undefined) return true;
  const record = (await store.overview()).stories.get(storyId)?.record;
  return record !== undefined && hasBegun({ status: record.story.status, tasks: record.tasks });
}

async function nothingToDiscard({ storyId, repository }: DiscardRequest): Promise<DiscardResult> {
  const snapshot = await newestDiscarded({ storyId, repository });
  return {
    storyId,
    isDone: false,
    snapshot: snapshot?.number,
    worktree: undefined,
    branch: undefined,
    pullRequest: undefined,
    processes: 0,
    left: [],
  };
}

const newestDiscarded = async ({
  repository,
  storyId,
}: Pick<DiscardRequest, "repository" | "storyId">): Promise<Snapshot | undefined> =>
  (await readSnapshots(repository.git, storyId)).findLast(({ reason }) => reason === "discarded");

const journalEntry = (
  { storyId, now }: DiscardRequest,
  snapshot: Snapshot | undefined,
  pullRequest: string | undefined,
): NewEntry => ({
  kind: "decision",
  key: snapshot === undefined ? "discarded" : `discarded ${snapshot.number}`,
  at: new Date(now()).toISOString(),
  title:
    snapshot === undefined
      ? "The work on this story was discarded"
      : `The work on this story was discarded: snapshot ${snapshot.number}`,
  body: [
    ...(snapshot === undefined
      ? []
      : [
          `\`saga snapshot restore ${storyId} ${snapshot.number}\` restores branch, worktree and files.`,
        ]),
    ...(pullRequest === undefined
      ? []
      : [`The pull request ${pullRequestName(pullRequest)} was closed.`]),
  ].join("\n"),
  blocker: undefined,
});
