// Discarding a story's work: what a dead worker left is ended, everything is kept in a snapshot, and then
// worktree, branch and pull request go, and the story begins anew. Every step may be killed and repeated:
// each finds what is left of its work, and nothing goes before it is kept.

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

export interface DiscardOrder extends Pick<
  Context,
  "store" | "repository" | "settings" | "env" | "now"
> {
  readonly storyId: string;
}

export interface Discarded {
  readonly storyId: string;
  /** Whether there was anything. */
  readonly isDone: boolean;
  /** What brings it all back. */
  readonly snapshot: number | undefined;
  /** The folder that was there. */
  readonly worktree: string | undefined;
  readonly branch: { readonly name: string; readonly commit: string } | undefined;
  /** Closed by this call, or before. */
  readonly pullRequest: string | undefined;
  /** How many were still running. */
  readonly processes: number;
  /** What is still somewhere, in sentences. */
  readonly left: readonly string[];
}

/** Only an owner on another machine is judged by this. A forge and a large repository take their time. */
const TTL_MS = 600_000;

export async function discardStory(order: DiscardOrder): Promise<Discarded> {
  const { store } = order;
  const storyId = requireId("story", order.storyId);
  await requireDiscardable(store, storyId);
  const wasLeased = (await store.leases.read(storyLease(storyId))) !== undefined;
  const claim = await store.leases.acquire(storyLease(storyId), {
    owner: "saga discard",
    ttlMs: TTL_MS,
  });
  if (!claim.lease) throw inUse(storyId, claim.heldBy.owner);
  try {
    return await discard({ ...order, storyId }, wasLeased);
  } finally {
    claim.lease.release();
  }
}

/** Says so before anything is done, and before anyone is asked. */
export async function requireDiscardable(store: Store, storyId: string): Promise<void> {
  if (isPoolName(storyId)) throw notFound("story", storyId);
  const lease = await store.leases.read(storyLease(storyId));
  if (lease?.life === "alive") throw inUse(storyId, lease.record.owner);
  const { stories, archived } = await store.overview();
  const view = stories.get(storyId);
  if (view === undefined && archived.has(storyId)) {
    throw new SagaError("not-ready", `The story ${storyId} is in the archive.`, {
      hint: "What is archived is finished: there is nothing to discard.",
    });
  }
  // One whose files make no sense is there all the same.
  if (view === undefined && findStory(layoutOf(store.project), storyId) === undefined) {
    throw notFound("story", storyId);
  }
  if (view?.state === "completed") {
    throw new SagaError("not-ready", `The story ${storyId} is completed and merged.`, {
      hint: "`git revert` takes a merged change back; `saga clean` removes what is left of it.",
    });
  }
}

const inUse = (storyId: string, owner: string): SagaError =>
  new SagaError("in-use", `The story ${storyId} is being worked on (${owner}).`, {
    hint: `Look at it with \`saga attach ${storyId}\`, or end it first: \`saga stop ${storyId}\`.`,
  });

async function discard(order: DiscardOrder, wasLeased: boolean): Promise<Discarded> {
  const { store, repository, settings, env, storyId } = order;
  const runs = await store.listRuns(storyId);
  const base = await findBase(repository, settings.git.base);
  const request: StorySnapshotRequest = {
    repository,
    storyId,
    exclude: [...settings.worktree.copy, ...settings.worktree.link],
    baseCommit: base.commit,
  };

  // 1. What the dead worker left running, or half done.
  const processes = await endProcessesOf(unfinished(runs));
  const situation = await putInOrder(order, base);
  if (!wasLeased && !(await isBegun(store, situation, runs))) return nothing(order);

  // 2. Everything is kept: files, what is staged, and every commit.
  await store.reclaimStory(storyId);
  const kept = await snapshotStory(request);

  // 3. The pull request, and the branch where others see it.
  const { pullRequest, left } = await withdraw(order, situation);

  // 4. The worktree; from here on the project's own copy of the story is the true one.
  const taken = await removeStoryWorktree(request);
  const keep = taken.snapshot ?? kept ?? (await newestDiscarded(order));

  // 5. The story begins anew, and says why.
  await store.resetStory(storyId, journalEntry(order, keep, pullRequest));

  // 6. What runs have left.
  for (const { taskList } of runs) {
    if (taskList !== undefined) removeTaskList(taskListFolder(env, taskList));
  }
  await closeRuns(order, runs);

  // 7. The branch last: as long as it is there, a repeated call knows what this was about.
  const { branch: name } = situation;
  const commit = await removeStoryBranch(repository, { storyId, branch: name });
  await store.writeEpicsSnapshot();
  return {
    storyId,
    isDone: true,
    snapshot: keep?.number,
    worktree: taken.worktree,
    branch: commit === undefined ? undefined : { name, commit },
    pullRequest,
    processes,
    left: [...left, ...taken.left],
  };
}

/** As a worker would begin: no locks of a killed git, no stubs, no checkout that was cut off. */
async function putInOrder(
  { store, repository, storyId }: DiscardOrder,
  base: Base,
): Promise<Situation> {
  let situation = await readSituation(repository, storyId);
  const { place, local } = situation;
  const isHalfDone =
    place.kind === "moved" || (place.kind === "worktree" && place.isUnfinished && local);
  if (isHalfDone) {
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

async function nothing({ storyId, repository }: DiscardOrder): Promise<Discarded> {
  const keep = await newestDiscarded({ storyId, repository });
  const nowhere = { worktree: undefined, branch: undefined, pullRequest: undefined };
  return { storyId, isDone: false, snapshot: keep?.number, ...nowhere, processes: 0, left: [] };
}

const newestDiscarded = async ({
  repository,
  storyId,
}: Pick<DiscardOrder, "repository" | "storyId">): Promise<Snapshot | undefined> =>
  (await readSnapshots(repository.git, storyId)).findLast(({ reason }) => reason === "discarded");

const journalEntry = (
  { storyId, now }: DiscardOrder,
  keep: Snapshot | undefined,
  pullRequest: string | undefined,
): NewEntry => ({
  kind: "decision",
  key: keep === undefined ? "discarded" : `discarded ${keep.number}`,
  at: new Date(now()).toISOString(),
  title:
    keep === undefined
      ? "The work on this story was discarded"
      : `The work on this story was discarded: snapshot ${keep.number}`,
  body: [
    ...(keep === undefined
      ? []
      : [
          `\`saga snapshot restore ${storyId} ${keep.number}\` brings branch, worktree and files back.`,
        ]),
    ...(pullRequest === undefined ? [] : [`The pull request ${pullRequest} was closed.`]),
  ].join("\n"),
  blocker: undefined,
});

/** How the last one ended says nothing any more, and nobody has to look at one that was killed. */
async function closeRuns({ store, now }: DiscardOrder, runs: readonly Run[]): Promise<void> {
  const at = new Date(now()).toISOString();
  for (const run of runs) {
    if (run.discardedAt !== undefined) continue;
    const log = await store.openRun(run);
    try {
      log.update({
        discardedAt: at,
        endedAt: run.endedAt ?? at,
        reason: run.reason ?? "Its worker was gone before it ended.",
      });
    } finally {
      log.close();
    }
  }
  removeOutputs(runs);
}
