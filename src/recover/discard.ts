// Discards a story's work: ends processes of a dead worker, saves everything in a snapshot, removes worktree, branch and
// pull request, and resets the story. Every step can be killed and repeated: it continues with what is left, and nothing
// is removed before it is saved.

import type { Context } from "../context.ts";
import { clearStubs } from "../claude/sandbox/stubs.ts";
import { removeTaskList, taskListFolder } from "../claude/tasks/list.ts";
import { SagaError } from "../errors.ts";
import { findBase, type Base } from "../repo/repository.ts";
import { readSnapshots, type Snapshot } from "../repo/snapshots/snapshot.ts";
import { snapshotStory, type StorySnapshotRequest } from "../repo/rescue/snapshot-story.ts";
import { clearLocks } from "../repo/stale-locks.ts";
import { readSituation, type Situation } from "../repo/worktree/situation.ts";
import { removeStoryBranch, removeStoryWorktree } from "../repo/rescue/remove-story.ts";
import { prepareWorktree } from "../repo/worktree/worktree.ts";
import { findStory } from "../store/project/find.ts";
import { layoutOf } from "../store/project/layout.ts";
import { fenceOwner, type FenceOwner } from "../repo/sharing/lease-ref.ts";
import { storyLease } from "../store/leases/lease-names.ts";
import { notFound } from "../store/project/require.ts";
import { endProcessesOf, unfinished } from "../store/runs/run-processes.ts";
import { removeOutputs } from "../store/runs/session-output.ts";
import type { Store } from "../store/store.ts";
import { isPoolName, requireId } from "../story/definition/names.ts";
import type { NewEntry } from "../story/definition/journal.ts";
import type { Run } from "../story/state/run.ts";
import { hasBegun } from "../story/state/state.ts";
import { withdraw } from "./withdraw.ts";
import { pullRequestName } from "../text/pull-request-name.ts";

export interface DiscardRequest extends Pick<
  Context,
  "store" | "repository" | "settings" | "env" | "now"
> {
  readonly storyId: string;
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
  if (!claim.lease) throw inUse(storyId, claim.heldBy.owner);
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
  if (lease?.life === "alive") throw inUse(storyId, lease.record.owner);
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

const inUse = (storyId: string, owner: string): SagaError =>
  new SagaError("in-use", `The story ${storyId} is running (${owner}).`, {
    hint: `Watch it with \`saga attach ${storyId}\`, or stop it first: \`saga stop ${storyId}\`.`,
  });

interface DiscardOwner {
  /** The story had a lease before. */
  readonly wasLeased: boolean;
  readonly owner: FenceOwner | undefined;
}

async function discard(
  request: DiscardRequest,
  { wasLeased, owner }: DiscardOwner,
): Promise<DiscardResult> {
  const { store, repository, settings, env, storyId } = request;
  const runs = await store.listRuns(storyId);
  const base = await findBase(repository, settings.git.base);
  const snapshotRequest: StorySnapshotRequest = {
    repository,
    storyId,
    exclude: [...settings.worktree.copy, ...settings.worktree.link],
    baseCommit: base.commit,
  };

  // 1. End what the dead worker left running, and repair the worktree.
  const processes = await endProcessesOf(unfinished(runs));
  const situation = await repairWorktree(request, base);
  if (!wasLeased && !(await isBegun(store, situation, runs))) return nothingToDiscard(request);

  // 2. Save everything: files, the index, and every commit.
  await store.reclaimStory(storyId);
  const saved = await snapshotStory(snapshotRequest);

  // 3. Close the pull request, and delete the remote branch.
  const { pullRequest, left } = await withdraw(request, situation, owner);

  // 4. Remove the worktree. From here on the project's copy of the story is the current one.
  const removed = await removeStoryWorktree(snapshotRequest);
  const snapshot = removed.snapshot ?? saved ?? (await newestDiscarded(request));

  // 5. Reset the story, with a journal entry.
  await store.resetStory(storyId, journalEntry(request, snapshot, pullRequest));

  // 6. Remove what runs have left.
  for (const { taskList } of runs) {
    if (taskList !== undefined) removeTaskList(taskListFolder(env, taskList));
  }
  await closeRuns(request, runs);

  await store.openWorks.drop(storyId);

  // 7. Remove the branch last: as long as it exists, a repeated call knows that there is work to discard.
  const { branch: name } = situation;
  const commit = await removeStoryBranch(repository, { storyId, branch: name });
  await store.writeEpicsSnapshot();
  return {
    storyId,
    isDone: true,
    snapshot: snapshot?.number,
    worktree: removed.worktree,
    branch: commit === undefined ? undefined : { name, commit },
    pullRequest,
    processes,
    left: [...left, ...removed.left],
  };
}

/** Repairs the worktree as a worker does at its start: locks of a killed git, stubs, an incomplete checkout. */
async function repairWorktree(
  { store, repository, storyId }: DiscardRequest,
  base: Base,
): Promise<Situation> {
  let situation = await readSituation(repository, storyId);
  const { place, local } = situation;
  const isIncomplete =
    place.kind === "moved" || (place.kind === "worktree" && place.isUnfinished && local);
  if (isIncomplete) {
    const carryStory = (folder: string): Promise<void> => store.carryStory(storyId, folder);
    await prepareWorktree({ repository, storyId, base, carryStory });
    situation = await readSituation(repository, storyId);
  }
  if (situation.place.kind === "worktree") {
    const { folder, branch } = situation;
    const { gitDir } = situation.place;
    await clearLocks(folder, { head: `refs/heads/${branch}`, gitDir });
    clearStubs(folder, repository.commonDir);
  }
  return situation;
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

/** Marks all runs as discarded: their outcome no longer counts, and a killed one needs no person. */
async function closeRuns({ store, now }: DiscardRequest, runs: readonly Run[]): Promise<void> {
  const at = new Date(now()).toISOString();
  for (const run of runs) {
    if (run.discardedAt !== undefined) continue;
    const log = await store.openRun(run);
    try {
      log.update({
        discardedAt: at,
        endedAt: run.endedAt ?? at,
        outcome: run.outcome ?? (run.worker && "killed"),
        reason: run.reason ?? "Its worker was killed.",
      });
    } finally {
      log.close();
    }
  }
  removeOutputs(runs);
}
