// The daemon of a pool: looks at the list, gives its workers what they can do, and waits for a change. It
// keeps nothing in mind that cannot be read again. Workers claim, work and merge by themselves; killed,
// the daemon takes nothing along but them, and they put their tasks back first.
//
//   running    tasks are given out
//   draining   nothing is begun any more, because someone wishes so, because something is wrong, or
//              because all is done; what runs is finished
//   stopped    workers are ended, and their tasks returned

import { existsSync } from "node:fs";
import { join } from "node:path";
import { clearClaims } from "../../tasks/claims/dead-claims.ts";
import { openClaimer } from "../../tasks/claims/claim.ts";
import { messageOf } from "../../errors.ts";
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
import type { PoolProblem } from "../../tasks/problem.ts";
import type { PoolTask } from "../../tasks/task.ts";
import { newWakeup, wakeOnChange } from "../../machine/files/wakeup.ts";
import { readContextFile } from "../list/context-file.ts";
import type { DaemonEnd, DaemonHands, DaemonOrder } from "./request.ts";
import { newDaemonState } from "./state.ts";
import { observeList } from "../list/follow-list.ts";
import { newForeignClaims } from "./foreign-claims.ts";
import { recoverTasks, type Recovery } from "./recover-tasks.ts";
import { takeSlots } from "./take-slots.ts";
import type { Slot } from "./worker-slot.ts";

const BEAT_EVERY_MS = 5_000;
/** When nothing tells of a change. */
const LOOK_EVERY_MS = 1_000;
/** Claims on what is completed are of no use to anyone. */
const CLEAR_EVERY_MS = 10 * 60_000;
const CLAIM_TTL_MS = 90_000;
/** A task that a dead worker still has is tried again sooner than all others are looked at. */
const RECOVER_AGAIN_MS = 5_000;
/** This machine watches too much already. */
const WATCH_FAULTS: ReadonlySet<string> = new Set(["ENOSPC", "EMFILE"]);

export const DRAIN_FILE = "drain";

export async function runDaemon(order: DaemonOrder, hands: DaemonHands): Promise<DaemonEnd> {
  const { store, now, uptimeMs, say, stop, settings, repository } = hands;
  forgetOldDaemons(store.project, now());
  const folder = makeInstanceFolder(store.project, order.instance);
  makeFolder(order.listFolder, { isDurable: false });
  const board = newTaskBoard((id) => join(order.listFolder, `${id}.json`));
  const wakeup = newWakeup();
  const slots = await takeSlots(order, hands, folder);
  const daemon = newDaemonFile(order, hands, folder, slots);
  const claimer = openClaimer(order.listFolder, {
    owner: "auto-daemon",
    instance: order.instance,
    ttlMs: CLAIM_TTL_MS,
    repository: repository.commonDir,
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
  const { list, listFolder } = order;
  const elsewhere = newForeignClaims({ repository, uptimeMs, say });
  const recovery: Recovery = { ...hands, list, listFolder, claimer, elsewhere };
  const state = newDaemonState(order, { board, slots, say, uptimeMs });
  // Without being told of changes it still looks every now and then; without reading it is blind.
  const onFault = (error: unknown): void =>
    WATCH_FAULTS.has(errorCode(error) ?? "")
      ? say(`Changes of the list are not told of: ${messageOf(error)}`)
      : state.fail({ kind: "unreadable", file: order.listFolder, message: messageOf(error) });
  const observer = await observeList(order.listFolder, { pollMs, onChange, onFault });
  try {
    let recoveredAtMs = -Infinity;
    let clearedAtMs = -Infinity;
    for (;;) {
      await state.lookAtWorkers();
      const hasLost = state.hasLost();
      // What it took in its last moment may not have been told of yet.
      if (hasLost || state.isIdle()) await observer.lookAtAll().catch(onFault);
      const restMs = state.isRecoveryDue() ? Math.min(pollMs, RECOVER_AGAIN_MS) : pollMs;
      if (hasLost || uptimeMs() - recoveredAtMs >= restMs) {
        state.hearOf(await recoverTasks(recovery, idsIn(board.inProgress())));
        // It may have waited for a lock: the others get their turn before it does so again.
        recoveredAtMs = uptimeMs();
        await observer.lookAt(idsIn(board.inProgress()));
      }
      if (uptimeMs() - clearedAtMs >= CLEAR_EVERY_MS) {
        clearedAtMs = uptimeMs();
        await clearClaims(order.listFolder, claimer.observer);
      }
      state.fail(board.problems()[0] ?? contextProblem(order.contextFile));
      if (existsSync(join(folder, DRAIN_FILE))) state.drain("drained");
      if (stop.aborted) state.stop();
      daemon.update({ state: state.mode(), problem: state.problem() });
      if (await state.act()) return state.end();
      await wakeup.next(state.isIdle() ? 0 : LOOK_EVERY_MS);
    }
  } finally {
    clearInterval(beat);
    endWatch();
    observer.close();
    claimer.close();
    for (const { lease } of slots) lease.release();
    const problem = state.problem();
    if (problem) writeFailure(folder, problem);
    daemon.update({ state: "ended", problem });
  }
}

const idsIn = (tasks: readonly PoolTask[]): string[] => tasks.map(({ id }) => id);

function newDaemonFile(
  { instance, list, listFolder, session }: DaemonOrder,
  { now }: DaemonHands,
  folder: string,
  slots: readonly Slot[],
): { readonly update: (change: Pick<DaemonFile, "state" | "problem">) => void } {
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
      if (change.state === file.state && change.problem === file.problem) return;
      file = { ...file, ...change };
      writeDaemon(folder, file);
    },
  };
}

/** Read anew each time: it is small, and someone may be editing it. */
function contextProblem(file: string): PoolProblem | undefined {
  try {
    readContextFile(file);
    return undefined;
  } catch (error) {
    return { kind: "context", file, message: messageOf(error) };
  }
}
