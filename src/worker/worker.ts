// One worker, one story, from top to bottom. Every step may be repeated after a crash at any point, with
// the same result.

import { rmSync } from "node:fs";
import { messageOf, SagaError } from "../errors.ts";
import { endJudging } from "../gate/end-leftover-checks.ts";
import { whileGuarded } from "../machine/programs/config-guard.ts";
import { endReaders } from "../machine/programs/object-reader.ts";
import { storyInUse } from "../store/leases/in-use.ts";
import { renewLease } from "../store/leases/renew-lease.ts";
import { withinBudget } from "../store/money/within-budget.ts";
import { closeRuns, endProcessesOf, unfinished } from "../store/runs/run-processes.ts";
import { RUN_MARK } from "../story/definition/names.ts";
import type { CostLimit } from "../story/money/tightest-cost.ts";
import type { Run } from "../story/state/run.ts";
import { snapshotChanges } from "../repo/snapshots/snapshot.ts";
import { fenceOwner } from "../repo/sharing/lease-ref.ts";
import { leaseStory } from "./steps/lease.ts";
import { commitCompletedTasks } from "./commit-completed-tasks.ts";
import { commitUnfinished } from "./commit-unfinished.ts";
import { budgetLimit, isSpent } from "./run-limits.ts";
import type { SharedBudget } from "../agent/job.ts";
import { newTimeBudget } from "../agent/time-budget.ts";
import {
  failed,
  failedBy,
  NOTHING_CHANGED,
  STOPPED,
  STOPPED_BEFORE_GATE,
  STOPPED_BEFORE_START,
  LEASE_LOST,
  TAKEN_OVER,
  withPushError,
  type StoryEnd,
} from "./ending.ts";
import { lookOnce } from "./early-warning/watch-conflicts.ts";
import { startConflictMerge } from "./steps/conflict.ts";
import { addFixTask, passGate } from "./steps/gate.ts";
import { hydrate, recoverCompletions } from "./steps/hydrate.ts";
import { NotInspected } from "./steps/inspect.ts";
import { runAgents } from "./steps/loop.ts";
import { prepareWork } from "./steps/prepare-worktree.ts";
import { finishPullRequest, openPullRequest, type DeliveredBranch } from "./steps/pull-request.ts";
import { reconcile } from "./steps/reconcile.ts";
import {
  claimText,
  deliverText,
  gateText,
  hydrateText,
  reconcileText,
  recoverText,
  worktreeText,
} from "./step-text.ts";
import type { PreparedWork, Work, WorkerContext, WorkRequest } from "./context.ts";
import { startRecord, endRun, type WorkerResult } from "./steps/run-record.ts";

export async function workOnStory(
  request: WorkRequest,
  context: WorkerContext,
): Promise<WorkerResult> {
  const { store } = context;
  const { storyId } = request;

  // 1. Take the story's lease.
  const acquired = await leaseStory(
    store,
    storyId,
    request.session ?? "a worker in the foreground",
  );
  if (!acquired.lease) {
    removeOutput(request);
    throw storyInUse(storyId, acquired.heldBy.owner);
  }
  const lost = new AbortController();
  const stop = AbortSignal.any([context.stop, lost.signal]);
  let endRenewal = (): void => undefined;
  try {
    const earlierRuns = await store.listRuns(storyId);
    const { lease } = acquired;
    const owner = fenceOwner(storyId, lease);
    const record = await startRecord(request, context, owner);
    try {
      await store.pruneRuns(storyId, context.settings.run.keep);
      const giveUp = (): void => lost.abort();
      const work: Work = {
        request,
        context: { ...context, stop },
        record,
        isTakenOver: () => lost.signal.aborted,
        owner,
        giveUp,
      };
      endRenewal = renewLease(lease, {
        onLost: giveUp,
        onError: (error) =>
          record.warn(`The lock on the story could not be renewed: ${messageOf(error)}`),
      });
      return await withinBudget(
        { ...work.context, record },
        {
          kind: "story",
          ...request,
          refused(reason) {
            // The story is in the same state as before.
            record.update({ isAside: true });
            return endRun(record, context, budgetLimit(reason));
          },
          act: (limit, budget) => runToEnd(withLimit(work, limit, budget), earlierRuns),
        },
      );
    } finally {
      await store
        .writeEpicsSnapshot()
        .catch((error: unknown) =>
          record.warn(`epics.json could not be updated: ${messageOf(error)}`),
        );
      record.close();
    }
  } finally {
    endRenewal();
    await endReaders(context.env);
    // 8. Release the lease. The session's output file is removed; the run's record stays.
    await acquired.lease.release();
    removeOutput(request);
  }
}

const withLimit = (work: Work, limit: CostLimit, budget: SharedBudget): Work => ({
  ...work,
  request: { ...work.request, ...limit },
  context: { ...work.context, budget },
});

function removeOutput({ session, outputFile }: WorkRequest): void {
  if (session !== undefined && outputFile !== undefined) rmSync(outputFile, { force: true });
}

const runToEnd = (work: Work, earlierRuns: readonly Run[]): Promise<WorkerResult> =>
  runSteps(work, earlierRuns).catch((error: unknown) =>
    endRun(work.record, work.context, isStopped(error) ? STOPPED_BEFORE_START : failedBy(error)),
  );

async function runSteps(work: Work, earlierRuns: readonly Run[]): Promise<WorkerResult> {
  const { record, context } = work;
  context.agent.preload(context.env);
  const killedRuns = unfinished(earlierRuns);
  await record.step("claim", () => endOrphans(work, killedRuns), claimText);
  return whileGuarded(
    { folder: context.store.project, env: context.env },
    { mark: [RUN_MARK, record.run().id], warn: record.warn },
    () => runGuardedSteps(work, { earlierRuns, killedRuns }),
  );
}

async function runGuardedSteps(
  work: Work,
  runs: { readonly earlierRuns: readonly Run[]; readonly killedRuns: readonly Run[] },
): Promise<WorkerResult> {
  const { record, context } = work;
  const { stop } = context;
  const { earlierRuns, killedRuns } = runs;
  // 2. Worktree and branch.
  const inWorktree = await record.step("worktree", () => prepareWork(work), worktreeText);

  // 3. Draft pull request.
  await record.step(
    "pull request",
    async () => (stop.aborted ? undefined : openPullRequest(inWorktree)),
    (pull) => (pull ? deliverText({ pull }) : "not opened; the next run tries again"),
  );

  // Finish what a killed worker left unfinished.
  const { prepared } = await record.step(
    "recover",
    async () => {
      const recoveredTasks = await recoverCompletions(inWorktree, earlierRuns);
      await commitCompletedTasks(inWorktree);
      const merging = await startConflictMerge(inWorktree);
      await closeRuns(context.store, killedRuns, context.now());
      return { prepared: merging, recoveredTasks };
    },
    ({ recoveredTasks }) => recoverText(recoveredTasks),
  );

  // 4. to 7., repeated while the gate refuses and the agent may fix that.
  const end = await workUntilGatePasses(prepared);
  await prepared.sharing.end();
  if (work.isTakenOver()) return endTakenOver(prepared);
  await lookOnce(prepared);
  const delivered = await record.step(
    "deliver",
    // A stopped worker must end soon: it does not wait for the network.
    async (): Promise<DeliveredBranch> =>
      stop.aborted ? {} : finishPullRequest(prepared, end.outcome === "done"),
    deliverText,
  );
  return endRun(record, context, withPushError(end, delivered.pushError), delivered);
}

/** In a fleet the worktree is still this machine's: what was not pushed stays here, in a snapshot. */
async function endTakenOver(work: PreparedWork): Promise<WorkerResult> {
  const { record, context, request, git, exclude, owner } = work;
  if (owner === undefined) return endRun(record, context, TAKEN_OVER);
  const why = "left when the lease was lost";
  const saved = await snapshotChanges({ git, storyId: request.storyId, why, exclude });
  if (saved) record.note({ type: "kept", ref: saved.ref, why });
  return endRun(record, context, LEASE_LOST);
}

/** Processes that killed workers left, and commands that judged the story. */
async function endOrphans(
  { context: { store }, request: { storyId } }: Work,
  killedRuns: readonly Run[],
): Promise<number> {
  await endJudging(store.project, storyId);
  return endProcessesOf(killedRuns);
}

async function workUntilGatePasses(work: PreparedWork): Promise<StoryEnd> {
  const { record, context, story, request } = work;
  // All rounds of gate and fix share it.
  const budget = newTimeBudget<StoryEnd>({
    ...context,
    record,
    maxMs: request.maxMs,
    model: request.model,
    stopped: STOPPED,
    tooLong: (reason) => ({ outcome: "limit", limit: "usage", reason }),
  });
  for (let round = 0; ; round++) {
    // 4. Hydrate the task list.
    const list = await record.step(
      "hydrate",
      () => hydrate(work),
      () => hydrateText(story.tasks().length),
    );
    const lists = { current: list };

    // 5. Agent runs. 6. Reconcile, however they ended.
    const end = await runAgents(work, lists, budget).catch(failedBy);
    if (work.isTakenOver()) return end;
    const { isProven } = await record.step(
      "reconcile",
      () => reconcile(work, lists.current),
      ({ corrected }) => reconcileText(corrected),
    );
    if (isSpent(end)) await commitAtLimit(work);
    if (end.outcome !== "done") return end;
    if (!isProven) return NOTHING_CHANGED;
    if (context.stop.aborted) return STOPPED_BEFORE_GATE;

    // 7. The gate.
    const result = await record.step(
      "gate",
      () => budget.pauseDuring(() => passGate(work, budget)).catch(endWithoutVerdict),
      (judged) => ("outcome" in judged ? "ended without a verdict" : gateText(judged)),
    );
    if ("outcome" in result) return result;
    const { refusal, receipts } = result;
    if (refusal === undefined) return end;
    const isFixable = round < context.settings.gate.fixRounds && (await addFixTask(work, receipts));
    if (!isFixable) return failed(refusal);
  }
}

/** An error is only a warning: the work stays in the worktree and in a snapshot. */
const commitAtLimit = (work: PreparedWork): Promise<void> =>
  commitUnfinished(work, "when the budget was spent").catch((error: unknown) =>
    work.record.warn(`The unfinished work could not be committed: ${messageOf(error)}`),
  );

/** The next run judges the story then. */
export function endWithoutVerdict(error: unknown): StoryEnd {
  if (error instanceof NotInspected) return error.end;
  if (isStopped(error)) return STOPPED_BEFORE_GATE;
  throw error;
}

const isStopped = (error: unknown): boolean =>
  error instanceof SagaError && error.code === "stopped";
