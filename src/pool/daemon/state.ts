// The state of a daemon: it collects reports about workers and recovered tasks, decides by the plan, assigns tasks, and
// knows when and why the pool ends.

import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import type { DaemonFile } from "../../tasks/daemon-files.ts";
import { pausedPool } from "../../story/money/day-budget.ts";
import type { TaskBoard } from "../../tasks/board.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import { problemLine, resultLine, tookLine } from "./log-lines.ts";
import type { DaemonEnd, DaemonRequest } from "./request.ts";
import { nextSteps } from "./plan.ts";
import type { RecoveryResult } from "./recover-tasks.ts";
import type { SlotReport, Slot } from "./worker-slot.ts";

/** By then, the list shows who claimed the task. */
const EXCEPT_MS = 2_000;
const MAX_DEATHS = 3;
/** With --once, the pool fails after this many failed recoveries in a row. */
const MAX_RECOVERIES = 5;

interface StateContext {
  readonly board: TaskBoard;
  readonly slots: readonly Slot[];
  readonly logLine: (line: string) => void;
  readonly uptimeMs: () => number;
}

export function newDaemonState(
  request: DaemonRequest,
  { board, slots, logLine, uptimeMs }: StateContext,
) {
  let ending: DaemonEnd["kind"] | undefined;
  let problem: PoolProblem | undefined;
  let hasLost = true;
  let isIdle = false;
  let recoveries = 0;
  const except = new Map<string, number>();
  const completed: string[] = [];
  const failed: string[] = [];
  const held: string[] = [];
  let pause: string | undefined;

  const fail = (found: PoolProblem | undefined): void => {
    if (found === undefined || problem !== undefined) return;
    problem = found;
    logLine(problemLine(found));
    if (ending !== "stopped") ending = "failed";
  };

  return {
    fail,
    mode: (): DaemonFile["state"] => (ending === undefined ? "running" : "draining"),
    problem: () => problem,
    pause: () => pause,
    /** Starts no task while there is a reason, a sentence. With --once, the pool ends when no task runs any more. */
    setPause(reason: string | undefined): void {
      if (reason !== undefined && pause === undefined && ending === undefined)
        logLine(pausedPool(reason));
      pause = reason;
    },
    /** No task can be started as far as is known: the whole list should be compared at once. */
    isIdle: () => isIdle,
    /** Whether a worker was lost since the last call. */
    hasLost(): boolean {
      const has = hasLost;
      hasLost = false;
      return has;
    },
    isRecoveryDue: () => recoveries > 0,
    onRecovery({ due: [due], failed: counted, held: parked }: RecoveryResult): void {
      failed.push(...counted);
      held.push(...parked);
      recoveries = due ? recoveries + 1 : 0;
      if (due && request.isOnce && recoveries >= MAX_RECOVERIES) {
        const file = join(request.listFolder, `${due.taskId}.json`);
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
    async checkWorkers(): Promise<void> {
      for (const slot of slots) onReport(slot, await slot.check());
    },
    /** Returns whether the pool has ended. */
    async act(): Promise<boolean> {
      const steps = nextSteps({
        eligible: pause === undefined ? board.eligible() : [],
        busyLabels: busyLabels(),
        workers: slots.map((slot) => slot.view()),
        mode: ending === undefined ? "running" : "draining",
        isOnce: request.isOnce,
        except: recentlyNotClaimed(),
        isRecoveryDue: recoveries > 0,
      });
      if (steps.isOver) return true;
      const wasIdle = isIdle;
      isIdle = request.isOnce && steps.isIdle;
      if (isIdle) {
        // A task completed a moment ago may not be known yet: only the second comparison counts.
        if (wasIdle) ending ??= pause && board.eligible().length > 0 ? "budget" : "done";
        return false;
      }
      const byName = new Map(slots.map((slot) => [slot.name, slot]));
      for (const name of steps.dismiss) byName.get(name)?.dismiss();
      for (const name of steps.start) await start(byName.get(name));
      for (const { worker, task, otherLabels } of steps.assignments) {
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
      fail({ kind: "crashed", message: `A worker could not be started: ${messageOf(error)}` });
    }
  }

  function onReport(slot: Slot, { took, result, died }: SlotReport): void {
    if (took) logLine(tookLine(slot.name, took));
    if (result) {
      const line = resultLine(slot.name, result);
      if (line !== undefined) logLine(line);
      if (result.kind === "completed") completed.push(result.taskId);
      if (result.kind === "failed") failed.push(result.taskId);
      if (result.kind === "held") held.push(result.taskId);
      if (result.kind === "not-taken") except.set(result.taskId, uptimeMs() + EXCEPT_MS);
      fail(result.problem);
    }
    if (died === undefined) return;
    hasLost = true;
    const output = died.lastWords === "" ? "" : `: ${died.lastWords}`;
    logLine(`${slot.name} died${output}`);
    if (died.times < MAX_DEATHS) return;
    const message = `The worker ${slot.name} died ${died.times} times in a row without a task${output}`;
    fail({ kind: "crashed", message });
  }

  function busyLabels(): string[] {
    const given = slots.flatMap((slot) => slot.view().given ?? []);
    const tasks = [...board.inProgress(), ...given.map((id) => board.get(id))];
    return [...new Set(tasks.flatMap((task) => task?.label ?? []))];
  }

  function recentlyNotClaimed(): Set<string> {
    for (const [id, untilMs] of except) if (untilMs <= uptimeMs()) except.delete(id);
    return new Set(except.keys());
  }
}
