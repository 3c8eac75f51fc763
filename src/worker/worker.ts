// One worker, one story, from top to bottom. Every step may be repeated after a crash at any point, and
// comes to the same end.

import { rmSync } from "node:fs";
import { messageOf, SagaError, messageWithHint } from "../errors.ts";
import { loadSdk } from "../claude/run.ts";
import { endJudging } from "../gate/judging.ts";
import type { PullRequest } from "../machine/forge/forge.ts";
import { thisProcess } from "../machine/processes/process-id.ts";
import { redactorFor } from "../machine/files/redact.ts";
import type { LeaseRecord } from "../store/leases/lease.ts";
import { sealFault, withSeals } from "../store/runs/receipts.ts";
import { closeRuns, endLeftovers, unfinished } from "../store/runs/run-processes.ts";
import type { Settings } from "../story/settings/settings.ts";
import type { RunOutcome } from "../story/state/state.ts";
import type { Run } from "../story/state/run.ts";
import { claimStory, keepClaim } from "./steps/claim.ts";
import { commitCompleted } from "./commit-completed.ts";
import { newClock, type LoopEnd } from "./agent/clock.ts";
import { beginConflict } from "./steps/conflict.ts";
import { passGate, withFixTask, type GateResult } from "./steps/gate.ts";
import { hydrate, recoverCompletions } from "./steps/hydrate.ts";
import { NotInspected } from "./steps/inspect.ts";
import { loop } from "./steps/loop.ts";
import { placeWork } from "./steps/place.ts";
import { finishPullRequest, openPullRequest, type DeliveredBranch } from "./steps/pull-request.ts";
import { reconcile, type Reconciled } from "./steps/reconcile.ts";
import { keepRecord, type RunRecord } from "../store/runs/run-recorder.ts";
import type { PlacedWork, WorkerContext, Work, WorkOrder } from "./work.ts";

export interface Ending {
  readonly outcome: RunOutcome;
  readonly reason: string;
  readonly runId: string;
  readonly cycles: number;
  readonly ms: number;
  readonly costUsd: number;
  readonly costIsEstimate: boolean;
  readonly pullRequest: string | undefined;
  /** The same as the outcome `killed`; for scripts that know it by this name. */
  readonly isCutOff: boolean;
}

export async function work(order: WorkOrder, around: WorkerContext): Promise<Ending> {
  const { store } = around;
  const { storyId } = order;

  // 1. Claim the story.
  const claim = await claimStory(store, storyId, order.session ?? "a worker in the foreground");
  if (!claim.lease) {
    removeOutput(order);
    throw heldBy(storyId, claim.heldBy);
  }
  const lost = new AbortController();
  const stop = AbortSignal.any([around.stop, lost.signal]);
  let endClaim = (): void => undefined;
  try {
    const earlier = await store.listRuns(storyId);
    const settings = await store.settings();
    const record = await startRecord(order, around, settings);
    try {
      await store.pruneRuns(storyId, settings.run.keep);
      const isTakenOver = (): boolean => lost.signal.aborted;
      const doing: Work = { order, around: { ...around, stop }, settings, record, isTakenOver };
      endClaim = keepClaim(claim.lease, {
        onLost: () => lost.abort(),
        onFault: (error) => record.warn(`The claim could not be renewed: ${messageOf(error)}`),
      });
      return await workThrough(doing, earlier);
    } catch (error) {
      const isStopped = error instanceof SagaError && error.code === "stopped";
      return end(record, around, isStopped ? CUT_SHORT : failedBy(error));
    } finally {
      await store
        .writeEpicsSnapshot()
        .catch((error: unknown) =>
          record.warn(`epics.json is not up to date: ${messageOf(error)}`),
        );
      record.close();
    }
  } finally {
    endClaim();
    // 8. Release it; the output's file goes with the session, the record stays.
    claim.lease.release();
    removeOutput(order);
  }
}

function removeOutput({ session, outputFile }: WorkOrder): void {
  if (session !== undefined && outputFile !== undefined) rmSync(outputFile, { force: true });
}

async function workThrough(doing: Work, earlier: readonly Run[]): Promise<Ending> {
  const { record, around } = doing;
  const { stop } = around;
  // Whether it could be loaded is asked when it is needed.
  loadSdk().catch(() => undefined);
  const killed = unfinished(earlier);
  await record.step("claim", () => endWhatIsLeft(doing, killed), claimed);

  // 2. Worktree and branch.
  const placed = await record.step(
    "worktree",
    () => placeWork(doing),
    ({ branch, base, hadWorktree }) =>
      `${branch}, from ${base.branch}${hadWorktree ? "; worktree already exists" : ""}`,
  );

  // 3. Draft pull request.
  await record.step(
    "pull request",
    async () => (stop.aborted ? undefined : openPullRequest(placed)),
    (pull) => pull?.ref ?? "none yet",
  );

  // What a dead worker left half done.
  await record.step(
    "recover",
    async () => {
      await recoverCompletions(placed, earlier);
      await commitCompleted(placed);
      await beginConflict(placed);
      return closeRuns(around.store, killed, around.now());
    },
    () => "nothing is half done",
  );

  // 4. to 7., as often as the gate lets the agent mend what it refuses.
  const { ended, last } = await workUntilItCounts(placed);
  if (doing.isTakenOver()) return end(record, around, TAKEN_OVER);
  const delivered = await record.step(
    "deliver",
    // Whoever waits for the end must not wait for the network as well.
    async () => (stop.aborted ? undefined : finishPullRequest(last, ended.outcome === "done")),
    deliveredText,
  );
  return end(record, around, withPush(ended, delivered), delivered);
}

/** Work that others cannot see is not plainly done. */
function withPush(ended: LoopEnd, delivered: DeliveredBranch | undefined): LoopEnd {
  const pushError = delivered?.pushError;
  if (ended.outcome !== "done" || pushError === undefined) return ended;
  return { outcome: "push-failed", reason: `${ended.reason} The push failed: ${pushError}` };
}

function deliveredText(delivered: DeliveredBranch | undefined): string {
  if (delivered?.pushError !== undefined) return "push failed; will retry on the next run";
  const pull = delivered?.pull;
  return pull === undefined ? "left for the next run" : `${pull.ref}, ${stateOf(pull)}`;
}

/** Of workers, and of commands that judged the story. */
async function endWhatIsLeft(
  { around: { store }, order: { storyId } }: Work,
  killed: readonly Run[],
): Promise<number> {
  await endJudging(store.project, storyId);
  return endLeftovers(killed);
}

interface Worked {
  readonly ended: LoopEnd;
  /** With what was learned on the way. */
  readonly last: PlacedWork;
}

async function workUntilItCounts(placed: PlacedWork): Promise<Worked> {
  const { record, around, settings } = placed;
  const clock = newClock(placed);
  let work = placed;
  for (let round = 0; ; round++) {
    // 4. Hydrate the task list.
    const current = await record.step(
      "hydrate",
      () => hydrate(work),
      ({ id }) => id,
    );
    const lists = { current };

    // 5. Headless runs, and 6. reconcile, whatever came of them.
    const ended = await loop(work, lists, clock).catch(failedBy);
    if (work.isTakenOver()) return { ended, last: work };
    const settle = (): Promise<Reconciled> => reconcile(work, lists.current);
    const { isProven } = await record.step("reconcile", settle, reconciled);
    if (ended.outcome !== "done") return { ended, last: work };
    if (!isProven) return { ended: UNPROVEN, last: work };
    if (around.stop.aborted) return { ended: STOPPED, last: work };

    // 7. The gate.
    const judge = (): Promise<GateResult> => passGate(work, clock);
    const judged = await record.step("gate", () => clock.aside(judge).catch(cutOff), gated);
    if ("outcome" in judged) return { ended: judged, last: work };
    const { refusal, receipts } = judged;
    if (refusal === undefined) return { ended, last: work };
    const next = round < settings.gate.fixRounds ? await withFixTask(work, receipts) : undefined;
    if (next === undefined) return { ended: { outcome: "failed", reason: refusal }, last: work };
    work = next;
  }
}

export async function startRecord(
  order: WorkOrder,
  around: WorkerContext,
  settings: Settings,
): Promise<RunRecord> {
  const { session, outputFile } = order;
  const log = await around.store.startRun(order.storyId, {
    worker: thisProcess(),
    ...(session !== undefined && { session }),
    ...(outputFile !== undefined && { outputFile }),
    model: order.model,
  });
  const redact = redactorFor(around.env, around.store.project, settings.worktree.copy);
  const sealed = withSeals(log, around.env);
  const record = keepRecord(sealed, around.now, around.print, redact);
  record.note({ type: "run.started", session }, { isDurable: true });
  const fault = sealFault(around.env);
  if (fault !== undefined) record.warn(`What the gate says will not count for a merge. ${fault}`);
  return record;
}

function end(
  record: RunRecord,
  around: WorkerContext,
  end: LoopEnd,
  { pull, pushError }: DeliveredBranch = {},
): Ending {
  const pullRequest = pull?.ref;
  const stopLimit = end.outcome === "stopped" ? around.limitOfStop?.() : undefined;
  const {
    outcome: ending,
    reason: said,
    limit,
  } = stopLimit === undefined ? end : atLimit(stopLimit);
  const isCutOff = ending === "stopped" && !around.isStopWanted();
  const outcome = isCutOff ? "killed" : ending;
  // It is shown everywhere, and may quote what a program said.
  const reason = isCutOff ? KILLED : record.redact(said);
  const { id: runId, startedAt, cycles, costUsd, costIsEstimate = false } = record.run();
  const nowMs = around.now();
  const ms = nowMs - Date.parse(startedAt);
  const ended = { outcome, reason, cycles, ms, costUsd, costIsEstimate };
  record.note({ type: "run.ended", ...ended }, { isDurable: true });
  record.update({
    endedAt: new Date(nowMs).toISOString(),
    outcome,
    reason,
    limit,
    pushError,
  });
  return { ...ended, runId, pullRequest, isCutOff };
}

/** Of several stories together, their cost: an epic's run has stopped it. */
const atLimit = (reason: string): LoopEnd => ({ outcome: "limit", limit: "cost", reason });

const KILLED = "Its worker was killed: its session ended, or the machine did.";

const stateOf = ({ state, isDraft }: PullRequest): string =>
  state === "open" ? (isDraft ? "a draft" : "ready") : state;

const TAKEN_OVER: LoopEnd = {
  outcome: "failed",
  reason: "Another worker has taken the story over. Nothing more was written here.",
};

const UNPROVEN: LoopEnd = {
  outcome: "blocked",
  reason:
    "All tasks were marked completed, and not one file was changed: a person has to say if that is right.",
};

const failedBy = (error: unknown): LoopEnd => ({
  outcome: "failed",
  reason: messageWithHint(error),
});

const STOPPED: LoopEnd = {
  outcome: "stopped",
  reason: "Stopped before it had passed its gate.",
};

const CUT_SHORT: LoopEnd = { outcome: "stopped", reason: "Stopped before it had begun." };

/** Nothing was judged then: the next run does it. */
function cutOff(error: unknown): LoopEnd {
  if (error instanceof NotInspected) return error.end;
  if (error instanceof SagaError && error.code === "stopped") return STOPPED;
  throw error;
}

const gated = (judged: GateResult | LoopEnd): string =>
  "outcome" in judged ? "cut off" : (judged.refusal ?? `${judged.receipts.length} passed`);

const claimed = (ended: number): string =>
  ended === 0 ? "the story is mine" : `the story is mine; ${ended} leftover processes ended`;

const reconciled = ({ corrected }: Reconciled): string =>
  corrected === 0 ? "the files agree" : `${corrected} corrected`;

export const heldBy = (storyId: string, holder: LeaseRecord): SagaError =>
  new SagaError("in-use", `The story ${storyId} is being worked on (${holder.owner}).`, {
    hint: `Look at it with \`saga logs ${storyId} -f\`, or end it with \`saga stop ${storyId}\`.`,
  });
