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
import { clearClaims } from "../claude/dead-claims.ts";
import { openClaimer } from "../claude/task-claims.ts";
import { messageOf, SagaError } from "../errors.ts";
import type { Environment } from "../machine/environment.ts";
import { errorCode, makeFolder } from "../machine/files.ts";
import { thisProcess } from "../machine/process.ts";
import type { Repository } from "../repo/base.ts";
import type { Target } from "../repo/target.ts";
import {
  forgetOldDaemons,
  makeInstanceFolder,
  touchDaemon,
  writeDaemon,
  writeFailure,
  type DaemonFile,
} from "../store/daemon-files.ts";
import type { Lease } from "../store/lease.ts";
import type { Store } from "../store/store.ts";
import { newTaskBoard, type BoardCounts, type TaskBoard } from "../story/pool-board.ts";
import type { PoolProblem } from "../story/pool-problem.ts";
import type { PoolTask } from "../story/pool-task.ts";
import type { Settings } from "../story/settings.ts";
import { newBell, ringWhenChanged } from "./bell.ts";
import { readContextFile } from "./context-file.ts";
import { problemLine, resultLine, tookLine } from "./daemon-lines.ts";
import { nextSteps } from "./daemon-plan.ts";
import { observeList } from "./observe-list.ts";
import { newForeignClaims } from "./foreign-claims.ts";
import { recoverTasks, type Recovered, type Recovery } from "./recover-tasks.ts";
import { newSlot, type Seen, type Slot, type Started } from "./worker-slot.ts";

export interface DaemonOrder {
  /** Eight hexadecimal digits. */
  readonly instance: string;
  readonly list: string;
  readonly listFolder: string;
  readonly contextFile: string;
  readonly workers: number;
  readonly isOnce: boolean;
  readonly session: string | undefined;
}

export interface DaemonHands {
  readonly store: Store;
  readonly settings: Settings;
  readonly repository: Repository;
  readonly target: Target;
  readonly env: Environment;
  readonly startWorker: (slot: number) => Promise<Started>;
  /** One line for each happening. */
  readonly say: (line: string) => void;
  readonly now: () => number;
  /** Only goes forward, whatever is done to the clock: whoever waits counts by this. */
  readonly uptimeMs: () => number;
  readonly stop: AbortSignal;
}

export interface DaemonEnd {
  readonly kind: "done" | "drained" | "stopped" | "failed";
  readonly problem: PoolProblem | undefined;
  readonly counts: BoardCounts;
  readonly completed: readonly string[];
  readonly failed: readonly string[];
  readonly held: readonly string[];
}

const BEAT_EVERY_MS = 5_000;
/** When nothing tells of a change. */
const LOOK_EVERY_MS = 1_000;
/** Claims on what is completed are of no use to anyone. */
const CLEAR_EVERY_MS = 10 * 60_000;
const SLOT_TTL_MS = 90_000;
const CLAIM_TTL_MS = 90_000;
/** Whoever was faster with a task has written it into the list by then. */
const EXCEPT_MS = 2_000;
const MAX_DEATHS = 3;
/** A task that a dead worker still has is tried again sooner than all others are looked at. */
const RECOVER_AGAIN_MS = 5_000;
/** So often in a row; then whoever only wants what is there done is told that it cannot be. */
const MAX_RECOVERIES = 5;
const MAX_SLOTS = 256;
/** This machine watches too much already. */
const WATCH_FAULTS: ReadonlySet<string> = new Set(["ENOSPC", "EMFILE"]);

export const DRAIN_FILE = "drain";

export async function runDaemon(order: DaemonOrder, hands: DaemonHands): Promise<DaemonEnd> {
  const { store, now, uptimeMs, say, stop, settings, repository } = hands;
  forgetOldDaemons(store.project, now());
  const folder = makeInstanceFolder(store.project, order.instance);
  makeFolder(order.listFolder, { isDurable: false });
  const board = newTaskBoard((id) => join(order.listFolder, `${id}.json`));
  const bell = newBell();
  const slots = await takeSlots(order, hands, folder);
  const daemon = newDaemonFile(order, hands, folder, slots);
  const claimer = openClaimer(order.listFolder, {
    owner: "auto-daemon",
    instance: order.instance,
    ttlMs: CLAIM_TTL_MS,
    repository: repository.commonDir,
  });
  const beat = setInterval(() => {
    touchDaemon(folder, now());
    claimer.beat();
    for (const { lease } of slots) lease.renew();
  }, BEAT_EVERY_MS);
  const endWatch = ringWhenChanged(folder, bell);
  stop.addEventListener("abort", bell.ring);
  const pollMs = settings.auto.pollSeconds * 1000;
  const onChange: Parameters<typeof observeList>[1]["onChange"] = (changes) => {
    for (const { id, entry } of changes) board.put(id, entry);
    bell.ring();
  };
  const { list, listFolder } = order;
  const elsewhere = newForeignClaims({ repository, uptimeMs, say });
  const recovery: Recovery = { ...hands, list, listFolder, claimer, elsewhere };
  const state = newState(order, { board, slots, say, uptimeMs });
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
      if (hasLost) await observer.lookAtAll().catch(onFault);
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
      await bell.next(state.isIdle() ? 0 : LOOK_EVERY_MS);
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

interface StateHands {
  readonly board: TaskBoard;
  readonly slots: readonly Slot[];
  readonly say: (line: string) => void;
  readonly uptimeMs: () => number;
}

/** What this daemon does, and has done so far. */
function newState(order: DaemonOrder, { board, slots, say, uptimeMs }: StateHands) {
  let ending: DaemonEnd["kind"] | undefined;
  let problem: PoolProblem | undefined;
  let hasLost = true;
  let isIdle = false;
  let recoveries = 0;
  const except = new Map<string, number>();
  const completed: string[] = [];
  const failed: string[] = [];
  const held: string[] = [];

  const fail = (found: PoolProblem | undefined): void => {
    if (found === undefined || problem !== undefined) return;
    problem = found;
    say(problemLine(found));
    if (ending !== "stopped") ending = "failed";
  };

  return {
    fail,
    mode: (): DaemonFile["state"] => (ending === undefined ? "running" : "draining"),
    problem: () => problem,
    isIdle: () => isIdle,
    /** Once: a worker was lost since it was asked last. */
    hasLost(): boolean {
      const has = hasLost;
      hasLost = false;
      return has;
    },
    isRecoveryDue: () => recoveries > 0,
    hearOf({ due: [due], failed: counted, held: parked }: Recovered): void {
      failed.push(...counted);
      held.push(...parked);
      recoveries = due ? recoveries + 1 : 0;
      if (due && order.isOnce && recoveries >= MAX_RECOVERIES) {
        const file = join(order.listFolder, `${due.taskId}.json`);
        fail({ kind: "write-failed", file, taskId: due.taskId, message: due.why });
      }
    },
    drain(kind: "drained" | "done"): void {
      ending ??= kind;
    },
    stop(): void {
      ending = problem ? "failed" : "stopped";
      for (const slot of slots) slot.stop();
    },
    async lookAtWorkers(): Promise<void> {
      for (const slot of slots) hear(slot, await slot.look());
    },
    /** Whether it is all over. */
    async act(): Promise<boolean> {
      const steps = nextSteps({
        eligible: board.eligible(),
        busyLabels: labelsAtWork(),
        workers: slots.map((slot) => slot.view()),
        mode: ending === undefined ? "running" : "draining",
        isOnce: order.isOnce,
        except: notNow(),
        isRecoveryDue: recoveries > 0,
      });
      if (steps.isOver) return true;
      isIdle = false;
      if (order.isOnce && steps.isIdle) {
        // The next look is the last: whoever is idle is sent home.
        isIdle = ending === undefined;
        ending ??= "done";
        return false;
      }
      const byName = new Map(slots.map((slot) => [slot.name, slot]));
      for (const name of steps.dismiss) byName.get(name)?.dismiss();
      for (const name of steps.start) await start(byName.get(name));
      for (const { worker, task, otherLabels } of steps.orders) {
        byName.get(worker)?.give(task.id, otherLabels);
      }
      return false;
    },
    end: (): DaemonEnd => ({
      kind: ending ?? "done",
      problem,
      counts: board.counts(),
      completed,
      failed,
      held,
    }),
  };

  async function start(slot: Slot | undefined): Promise<void> {
    try {
      await slot?.start();
    } catch (error) {
      fail({ kind: "crashed", message: `No worker can be started: ${messageOf(error)}` });
    }
  }

  function hear(slot: Slot, { took, result, died }: Seen): void {
    if (took) say(tookLine(slot.name, took));
    if (result) {
      const line = resultLine(slot.name, result);
      if (line !== undefined) say(line);
      if (result.kind === "completed") completed.push(result.taskId);
      if (result.kind === "failed") failed.push(result.taskId);
      if (result.kind === "held") held.push(result.taskId);
      if (result.kind === "not-taken") except.set(result.taskId, uptimeMs() + EXCEPT_MS);
      fail(result.problem);
    }
    if (died === undefined) return;
    hasLost = true;
    const said = died.lastWords === "" ? "" : `: ${died.lastWords}`;
    say(`${slot.name} has died${said}`);
    if (died.times < MAX_DEATHS) return;
    const message = `The worker ${slot.name} has died ${died.times} times in a row, without a task${said}`;
    fail({ kind: "crashed", message });
  }

  function labelsAtWork(): string[] {
    const given = slots.flatMap((slot) => slot.view().given ?? []);
    const tasks = [...board.inProgress(), ...given.map((id) => board.get(id))];
    return [...new Set(tasks.flatMap((task) => task?.label ?? []))];
  }

  function notNow(): Set<string> {
    for (const [id, untilMs] of except) if (untilMs <= uptimeMs()) except.delete(id);
    return new Set(except.keys());
  }
}

/** The lowest numbers that no other daemon of the project has. */
async function takeSlots(
  { workers, instance }: DaemonOrder,
  { store, startWorker, uptimeMs }: DaemonHands,
  folder: string,
): Promise<readonly Slot[]> {
  const slots: Slot[] = [];
  for (let number = 1; slots.length < workers && number <= MAX_SLOTS; number++) {
    const lease = await acquire(store, number, instance);
    if (lease) slots.push(newSlot(folder, number, lease, { start: startWorker, uptimeMs }));
  }
  if (slots.length > 0) return slots;
  throw new SagaError("in-use", `All ${MAX_SLOTS} names of workers are taken.`, {
    hint: "`saga auto status` shows by whom.",
  });
}

async function acquire(store: Store, number: number, instance: string): Promise<Lease | undefined> {
  const name = `auto-slot.${number}`;
  const request = { owner: `saga auto ${instance}`, ttlMs: SLOT_TTL_MS };
  return (await store.leases.acquire(name, request)).lease;
}

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
