// A worker of the pool: waits for orders, does one task after the other, and says what came of each. It
// ends when it is told to, and when its daemon is gone: what it had in hand goes back on the list, and
// what was done of it is kept.

import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  claimTask,
  openClaimer,
  type Claim,
  type Claimer,
  type Kept,
} from "../claude/task-claims.ts";
import { loadSdk } from "../claude/headless.ts";
import { messageOf, SagaError } from "../errors.ts";
import { lifeOf, thisProcess } from "../machine/process.ts";
import { redactorFor } from "../machine/redact.ts";
import {
  readDaemon,
  readOrder,
  writeWorker,
  type OrderResult,
  type WorkerFile,
  type WorkerOrder,
} from "../store/daemon-files.ts";
import { storyLease } from "../store/overview.ts";
import { closeRuns, endLeftovers, unfinished } from "../store/run-processes.ts";
import { keepRecord, type RunRecord } from "../store/run-record.ts";
import { waitForLease } from "../store/wait-for-lease.ts";
import { poolTaskOf, type PoolTask } from "../story/pool-task.ts";
import type { RunOutcome } from "../story/state.ts";
import { newBell, ringWhenChanged } from "./bell.ts";
import { untilAccountIsFree } from "./patience.ts";
import { countFailure, mark } from "./task-marks.ts";
import { sentences } from "./sentences.ts";
import { whyTargetIsBusy } from "./target-ready.ts";
import { runTask, type TaskEnd } from "./task-run.ts";
import type { PoolWorker } from "./task-work.ts";
import { tellOfTask } from "./tell-of-task.ts";

export interface WorkerPost extends Omit<PoolWorker, "say" | "stop"> {
  readonly instance: string;
  /** Ends it in an orderly way. */
  readonly stop: AbortSignal;
}

/** Whether the daemon is still there, and whether there is a new order, when nobody tells. */
const LOOK_EVERY_MS = 1_000;
/** Others on this machine see for themselves whether it lives; this is for those elsewhere. */
const CLAIM_TTL_MS = 90_000;
const BEAT_EVERY_MS = 20_000;
/** An earlier worker of the same name may be on its way out. */
const PREDECESSOR_MS = 60_000;
const POLL_MS = 100;
/** Files of whoever looks on are not written at every tool call. */
const SAY_EVERY_MS = 2_000;

export async function workInPool(post: WorkerPost): Promise<void> {
  const { name, folder, instance, store } = post;
  const orphaned = new AbortController();
  const stop = AbortSignal.any([post.stop, orphaned.signal]);
  const bell = newBell();
  const daemon = readDaemon(folder)?.process;
  const isOrphan = (): boolean => daemon === undefined || lifeOf(daemon) === "dead";
  const status = newStatus(post);
  const worker: PoolWorker = { ...post, stop, say: status.say };
  const own = await waitForLease(store.leases, storyLease(name), {
    owner: post.session ?? name,
    patienceMs: PREDECESSOR_MS,
    pollMs: POLL_MS,
    stop,
  });
  if (own.kind === "held") throw nameIsTaken(name, own.by.owner);
  if (own.kind === "stopped") return;
  const claimer = openClaimer(post.listFolder, {
    owner: name,
    instance,
    ttlMs: CLAIM_TTL_MS,
    repository: post.repository.commonDir,
  });
  const timers = [
    setInterval(() => claimer.beat(), BEAT_EVERY_MS),
    setInterval(() => {
      if (!isOrphan()) return;
      orphaned.abort();
      bell.ring();
    }, LOOK_EVERY_MS),
  ];
  const endWatch = ringWhenChanged(folder, bell);
  post.stop.addEventListener("abort", bell.ring);
  // Whether it could be loaded is asked when it is needed.
  loadSdk().catch(() => undefined);
  try {
    await putInOrder(worker);
    let done = readOrder(folder, name)?.number ?? 0;
    status.say({ state: "idle" });
    while (!stop.aborted) {
      const order = readOrder(folder, name);
      if (order === undefined || order.number <= done) {
        await bell.next(LOOK_EVERY_MS);
        continue;
      }
      if ("end" in order) return;
      const result = await take(worker, claimer, order);
      done = order.number;
      status.say({ state: "idle", task: undefined, subject: undefined, run: undefined, result });
    }
  } finally {
    timers.forEach(clearInterval);
    endWatch();
    claimer.close();
    own.lease.release();
    status.say({ state: "ended", task: undefined, subject: undefined, run: undefined });
  }
}

/** What a worker of this name that was killed has left running, and unsaid. */
async function putInOrder({ store, name, now }: PoolWorker): Promise<void> {
  const killed = unfinished(await store.listRuns(name));
  await endLeftovers(killed);
  await closeRuns(store, killed, now());
}

async function take(
  worker: PoolWorker,
  claimer: Claimer,
  order: Extract<WorkerOrder, { taskId: string }>,
): Promise<OrderResult> {
  const { number, taskId } = order;
  const notTaken = (reason: string): OrderResult => ({
    number,
    taskId,
    kind: "not-taken",
    reason,
  });
  const isWanted = (): boolean => readDaemon(worker.folder)?.state === "running";
  await untilAccountIsFree(worker, isWanted);
  // What else may be wrong with the target is said when it is begun on.
  const busy = await whyTargetIsBusy(worker).catch(() => undefined);
  if (worker.stop.aborted || !isWanted()) return notTaken("Nothing is begun any more.");
  if (busy !== undefined) return { ...notTaken(busy.message), problem: busy };
  const claimed = await claimTask(worker.listFolder, claimer, taskId).catch(unwritten);
  switch (claimed.kind) {
    case "unwritten": {
      const file = join(worker.listFolder, `${taskId}.json`);
      const { message } = claimed;
      return { ...notTaken(message), problem: { kind: "write-failed", file, taskId, message } };
    }
    case "held":
      return notTaken(`${claimed.by.owner} has it.`);
    case "changed":
      return notTaken(claimed.why);
    case "gone":
      return notTaken("It is not there any more.");
    case "claimed":
  }
  const { claim, task } = claimed;
  const read = poolTaskOf(task, worker.now());
  if (read.fault !== undefined) {
    await claim.giveBack();
    return notTaken(read.fault);
  }
  let record: RunRecord;
  try {
    record = await startRecord(worker, taskId);
  } catch (error) {
    await claim.giveBack();
    const message = `The run could not be recorded: ${messageOf(error)}`;
    return { ...notTaken(message), problem: { kind: "write-failed", taskId, message } };
  }
  const lost = new AbortController();
  const file = join(worker.listFolder, `${taskId}.json`);
  const lookAtClaim = async (): Promise<void> => {
    if (!claim.isMine() || (await isGone(file))) lost.abort();
  };
  const looking = setInterval(() => void lookAtClaim(), LOOK_EVERY_MS);
  try {
    worker.say({ state: "working", task: taskId, subject: task.subject, run: record.run().id });
    await claim.update(mark({ run: record.run().id }));
    const { model } = worker.settings.claude;
    const end = await runTask({
      worker: { ...worker, stop: AbortSignal.any([worker.stop, lost.signal]) },
      task: { ...read.task, description: task.description },
      record,
      lookAtClaim,
      order: { model, maxCostUsd: worker.settings.run.maxCost },
      bills: new Map(),
      made: new Set(),
    }).catch((error: unknown): TaskEnd => ({ kind: "failed", reason: sentences(error) }));
    const { subject } = task;
    const settled = await settle(worker, { claim, task: read.task, record, end });
    return { number, taskId, subject, ...settled };
  } finally {
    clearInterval(looking);
    record.close();
    await worker.store.pruneRuns(worker.name, worker.settings.run.keep);
  }
}

/** Someone may replace it in two steps. */
const GONE_FOR_MS = 250;

async function isGone(file: string): Promise<boolean> {
  if (isThere(file)) return false;
  await wait(GONE_FOR_MS);
  return !isThere(file);
}

/** What cannot be looked at is not gone for that. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Claude Code holding its lock for long is no fault; a list that cannot be written is. */
function unwritten(
  error: unknown,
): { kind: "unwritten"; message: string } | { kind: "changed"; why: string } {
  const isBusy = error instanceof SagaError && error.code === "in-use";
  return isBusy
    ? { kind: "changed", why: error.message }
    : { kind: "unwritten", message: messageOf(error) };
}

interface Settling {
  readonly claim: Claim;
  readonly task: PoolTask;
  readonly record: RunRecord;
  readonly end: TaskEnd;
}

type Settled = Omit<OrderResult, "number" | "taskId" | "subject">;

/** The list first: what the run says about itself must be true when it says it. */
async function settle(worker: PoolWorker, settling: Settling): Promise<Settled> {
  const { record, end } = settling;
  let settled: Settled;
  try {
    settled = await writeEnd(worker, settling);
  } catch (error) {
    const message = `What became of task ${settling.task.id} could not be written: ${messageOf(error)}`;
    const file = join(worker.listFolder, `${settling.task.id}.json`);
    const problem = { kind: "write-failed", file, taskId: settling.task.id, message } as const;
    settled = { kind: "returned", reason: message, problem };
  }
  const outcome = settled.kind === "lost" ? "failed" : OUTCOMES[end.kind];
  const { startedAt, cycles, costUsd } = record.run();
  const nowMs = worker.now();
  const ms = nowMs - Date.parse(startedAt);
  const { reason } = settled;
  record.note({ type: "run.ended", outcome, reason, cycles, ms, costUsd }, { isDurable: true });
  record.update({ endedAt: new Date(nowMs).toISOString(), outcome, reason });
  return settled;
}

const OUTCOMES: Readonly<Record<TaskEnd["kind"], RunOutcome>> = {
  completed: "done",
  failed: "failed",
  held: "blocked",
  returned: "stopped",
};

async function writeEnd(
  worker: PoolWorker,
  { claim, task, record, end }: Settling,
): Promise<Settled> {
  const { reason } = end;
  const at = new Date(worker.now()).toISOString();
  const over = { run: undefined, finished: undefined };
  switch (end.kind) {
    case "completed": {
      const { commit } = end;
      const kept = await claim.complete(mark({ ...over, lastFailure: undefined }));
      // Whoever removed it was too late: it has arrived.
      const isMerged = kept === "gone" && commit !== undefined;
      if (isMerged) return { kind: "completed", reason, commit, aside: "its task file is gone" };
      return lostAs(kept) ?? { kind: "completed", reason, commit };
    }
    case "returned": {
      const { finished, problem } = end;
      const marks = { run: undefined, ...(finished !== undefined && { finished }) };
      const kept = await claim.giveBack(mark(marks));
      return lostAs(kept) ?? { kind: "returned", reason, problem, aside: asideOf(kept) };
    }
    case "held": {
      const held = { kind: end.as, why: reason, at };
      const kept = await claim.giveBack(mark({ ...over, held }));
      const lost = lostAs(kept);
      if (lost) return lost;
      await tell(worker, { record, task, reason, isQuestion: end.as === "blocker" });
      return { kind: "held", reason, aside: asideOf(kept) };
    }
    case "failed": {
      const { maxAttempts } = worker.settings.auto;
      const { marks, isParked } = countFailure(task.attempts, { reason, maxAttempts, at });
      const kept = await claim.giveBack(mark({ ...over, ...marks }));
      const lost = lostAs(kept);
      if (lost) return lost;
      const aside = asideOf(kept);
      if (!isParked) return { kind: "failed", reason, aside };
      const why = marks.held?.why ?? reason;
      await tell(worker, { record, task, reason: why, isQuestion: false });
      return { kind: "held", reason: why, aside };
    }
  }
}

/** Nothing when it was written. */
function lostAs(kept: Kept): Settled | undefined {
  if (kept === "lost") return { kind: "lost", reason: "Someone else has the task now." };
  if (kept !== "gone") return undefined;
  return {
    kind: "lost",
    reason: "Its task file is gone. Nothing was merged, and all work is kept.",
  };
}

const asideOf = (kept: Kept): string | undefined =>
  kept === "changed" ? "someone had changed its status or owner meanwhile" : undefined;

interface Occasion {
  readonly record: RunRecord;
  readonly task: Pick<PoolTask, "id" | "subject">;
  readonly reason: string;
  readonly isQuestion: boolean;
}

async function tell(
  worker: PoolWorker,
  { record, task: { id, subject }, reason, isQuestion }: Occasion,
): Promise<void> {
  const speaker = { ...worker, redact: record.redact };
  const held = { id, subject, occasion: record.run().id, reason, isQuestion };
  (await tellOfTask(speaker, held)).forEach(record.warn);
}

async function startRecord(worker: PoolWorker, taskId: string): Promise<RunRecord> {
  const { store, name, session, outputFile, settings, env, list } = worker;
  const log = await store.startRun(name, {
    worker: thisProcess(),
    ...(session !== undefined && { session }),
    ...(outputFile !== undefined && { outputFile }),
    model: settings.claude.model,
    task: taskId,
    list,
  });
  const copied = settings.worktree.copy.map((path) => join(store.project, path));
  const record = keepRecord(log, worker.now, worker.print, redactorFor(env, copied));
  record.note({ type: "run.started", session }, { isDurable: true });
  return record;
}

/** What others see of this worker. Signs of life are not written each time; the rest is, at once. */
function newStatus(post: WorkerPost): { readonly say: PoolWorker["say"] } {
  const at = (): string => new Date(post.now()).toISOString();
  let file: WorkerFile = {
    worker: post.name,
    process: thisProcess(),
    session: post.session,
    state: "starting",
    since: at(),
  };
  let writtenMs = 0;
  const write = (): void => {
    writtenMs = post.now();
    writeWorker(post.folder, file);
  };
  write();
  return {
    say(change) {
      const isNews = Object.keys(change).some((name) => name !== "lastToolAt");
      const isMoved = change.state !== undefined && change.state !== file.state;
      file = { ...file, ...change, ...(isMoved && { since: at() }) };
      if (isNews || post.now() - writtenMs > SAY_EVERY_MS) write();
    },
  };
}

const nameIsTaken = (name: string, owner: string): SagaError =>
  new SagaError("in-use", `There is a worker ${name} at work already (${owner}).`, {
    hint: `\`saga attach ${name}\` looks into it; \`saga auto stop\` ends the pool.`,
  });
