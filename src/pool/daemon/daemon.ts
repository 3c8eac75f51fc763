// The daemon of a pool: reads the list, assigns tasks to its workers, and waits for a change. It holds no state that
// cannot be read again. Workers claim, work and merge by themselves. If the daemon is killed, its workers end too,
// after they have returned their tasks.
//
//   running    tasks are assigned
//   paused     running, but the day's budget is spent: no task is started until it is raised, or until tomorrow
//   draining   no task is started any more, because a person asked for it, because of a problem, or because all is
//              done; running tasks are finished
//   stopped    workers are ended, and their tasks returned

import { existsSync } from "node:fs";
import { join } from "node:path";
import { clearClaims } from "../../tasks/claims/clear-claims.ts";
import { openClaimer } from "../../store/claims/claimer.ts";
import { messageOf, SagaError } from "../../errors.ts";
import { errorCode, makeFolder } from "../../machine/files/files.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { MAX_TIMER_MS } from "../../machine/processes/timer.ts";
import {
  forgetOldDaemons,
  makeInstanceFolder,
  touchDaemon,
  writeDaemon,
  writeFailure,
  type DaemonFile,
} from "../../tasks/daemon-files.ts";
import { startHeartbeat } from "../../store/leases/heartbeat.ts";
import { newTaskBoard } from "../../tasks/board.ts";
import type { PoolTask } from "../../tasks/task.ts";
import { newWakeup, wakeOnChange } from "../../machine/files/wakeup.ts";
import { contextProblem } from "../list/find-problems.ts";
import type { DaemonEnd, DaemonContext, DaemonRequest } from "./request.ts";
import { newDaemonState } from "./state.ts";
import { observeList } from "../list/follow-list.ts";
import { recoverTasks, type Recovery } from "./recover-tasks.ts";
import { type Slot, newSlot } from "./worker-slot.ts";
import type { Lease } from "../../store/ownership/ownership.ts";
import { slotLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";

const BEAT_EVERY_MS = 5_000;
/** If no event reports a change. */
const CHECK_EVERY_MS = 1_000;
/** Claims of completed tasks are removed this often. */
const CLEAR_EVERY_MS = 10 * 60_000;
/** The costs of all runs are read for it. */
const BUDGET_EVERY_MS = 5_000;
const CLAIM_TTL_MS = 90_000;
/** A dead worker's task that could not be recovered is tried again sooner than the list is polled. */
const RECOVER_AGAIN_MS = 5_000;
/** The machine has no watches left. */
const WATCH_LIMIT_CODES: ReadonlySet<string> = new Set(["ENOSPC", "EMFILE"]);

export const DRAIN_FILE = "drain";

export async function runDaemon(
  request: DaemonRequest,
  context: DaemonContext,
): Promise<DaemonEnd> {
  const { store, now, uptimeMs, logLine, stop, settings, dayRefusal } = context;
  forgetOldDaemons(store.project, now());
  const folder = makeInstanceFolder(store.project, request.instance);
  makeFolder(request.listFolder, { isDurable: false });
  const board = newTaskBoard((id) => join(request.listFolder, `${id}.json`));
  const wakeup = newWakeup();
  const slots = await takeSlots(request, context, folder);
  const daemon = newDaemonFile(request, context, folder, slots);
  const claimer = openClaimer(request.listFolder, {
    owner: "auto-daemon",
    instance: request.instance,
    ttlMs: CLAIM_TTL_MS,
  });
  const beat = startHeartbeat(
    BEAT_EVERY_MS,
    () => touchDaemon(folder, now()),
    claimer.beat,
    ...slots.map(({ lease }) => lease.renew),
  );
  const endWatch = wakeOnChange(folder, wakeup);
  stop.addEventListener("abort", wakeup.wake);
  const pollMs = Math.min(settings.auto.pollSeconds * 1000, MAX_TIMER_MS);
  const onChange: Parameters<typeof observeList>[1]["onChange"] = (changes) => {
    for (const { id, entry } of changes) board.put(id, entry);
    wakeup.wake();
  };
  const { list, listFolder } = request;
  const recovery: Recovery = { ...context, list, listFolder, claimer };
  const state = newDaemonState(request, { board, slots, logLine, uptimeMs });
  // Without a watch the list is still polled; a list that cannot be read stops the pool.
  const onError = (error: unknown): void =>
    WATCH_LIMIT_CODES.has(errorCode(error) ?? "")
      ? logLine(
          `The task list cannot be watched, so it is read every few seconds: ${messageOf(error)}`,
        )
      : state.fail({ kind: "unreadable", file: request.listFolder, message: messageOf(error) });
  const observer = await observeList(request.listFolder, { pollMs, onChange, onError });
  try {
    let recoveredAtMs = -Infinity;
    let clearedAtMs = -Infinity;
    let budgetReadAtMs = -Infinity;
    for (;;) {
      await state.checkWorkers();
      const hasLost = state.hasLost();
      // A task that it claimed just before it died may not be known yet.
      if (hasLost || state.isIdle()) await observer.compareAll().catch(onError);
      const restMs = state.isRecoveryDue() ? Math.min(pollMs, RECOVER_AGAIN_MS) : pollMs;
      if (hasLost || uptimeMs() - recoveredAtMs >= restMs) {
        state.onRecovery(await recoverTasks(recovery, idsIn(board.inProgress())));
        // Recovery may have waited for a lock: the rest of the loop runs before it is tried again.
        recoveredAtMs = uptimeMs();
        await observer.reread(idsIn(board.inProgress()));
      }
      if (uptimeMs() - clearedAtMs >= CLEAR_EVERY_MS) {
        clearedAtMs = uptimeMs();
        await clearClaims(request.listFolder, claimer.observer);
      }
      state.fail(board.problems()[0] ?? contextProblem(request.contextFile));
      if (uptimeMs() - budgetReadAtMs >= BUDGET_EVERY_MS) {
        budgetReadAtMs = uptimeMs();
        state.setPause(await dayRefusal?.());
      }
      if (existsSync(join(folder, DRAIN_FILE))) state.drain("drained");
      if (stop.aborted) state.stop();
      daemon.update({ state: state.mode(), problem: state.problem(), pause: state.pause() });
      if (await state.act()) return state.end();
      await wakeup.next(state.isIdle() ? 0 : CHECK_EVERY_MS);
    }
  } finally {
    clearInterval(beat);
    endWatch();
    observer.close();
    claimer.close();
    for (const { lease } of slots) await lease.release();
    const problem = state.problem();
    if (problem) writeFailure(folder, problem);
    daemon.update({ state: "ended", problem, pause: undefined });
  }
}

const idsIn = (tasks: readonly PoolTask[]): string[] => tasks.map(({ id }) => id);

function newDaemonFile(
  { instance, list, listFolder, session }: DaemonRequest,
  { now }: DaemonContext,
  folder: string,
  slots: readonly Slot[],
): { readonly update: (change: Pick<DaemonFile, "state" | "problem" | "pause">) => void } {
  let file: DaemonFile = {
    instance,
    list,
    folder: listFolder,
    process: thisProcess(),
    startedAt: new Date(now()).toISOString(),
    session,
    state: "running",
    workers: slots.map(({ name }) => name),
  };
  writeDaemon(folder, file);
  return {
    update(change) {
      const isSame = change.state === file.state && change.problem === file.problem;
      if (isSame && change.pause === file.pause) return;
      file = { ...file, ...change };
      writeDaemon(folder, file);
    },
  };
}

const SLOT_TTL_MS = 90_000;
const MAX_SLOTS = 256;

async function takeSlots(
  { workers, instance }: DaemonRequest,
  { store, startWorker, uptimeMs }: DaemonContext,
  folder: string,
): Promise<readonly Slot[]> {
  const slots: Slot[] = [];
  for (let number = 1; slots.length < workers && number <= MAX_SLOTS; number++) {
    const lease = await acquire(store, number, instance);
    if (lease) slots.push(newSlot(folder, number, lease, { start: startWorker, uptimeMs }));
  }
  if (slots.length > 0) return slots;
  throw new SagaError("in-use", `All ${MAX_SLOTS} worker names are in use.`, {
    hint: "`saga auto status` shows the pools that use them.",
  });
}

async function acquire(store: Store, number: number, instance: string): Promise<Lease | undefined> {
  const request = { owner: `saga auto ${instance}`, ttlMs: SLOT_TTL_MS };
  return (await store.leases.acquire(slotLease(number), request)).lease;
}
