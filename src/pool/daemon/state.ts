// What a daemon does, and has done so far: it hears of its workers and of dead ones' tasks, decides by the plan,
// gives orders, and knows when it is over and why.

import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import type { DaemonFile } from "../../tasks/daemon-files.ts";
import type { TaskBoard } from "../../tasks/board.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import { problemLine, resultLine, tookLine } from "./lines.ts";
import type { DaemonEnd, DaemonOrder } from "./request.ts";
import { nextSteps } from "./plan.ts";
import type { Recovered } from "./recover-tasks.ts";
import type { Seen, Slot } from "./worker-slot.ts";

/** Whoever was faster with a task has written it into the list by then. */
const EXCEPT_MS = 2_000;
const MAX_DEATHS = 3;
/** So often in a row; then whoever only wants what is there done is told that it cannot be. */
const MAX_RECOVERIES = 5;

interface StateHands {
  readonly board: TaskBoard;
  readonly slots: readonly Slot[];
  readonly say: (line: string) => void;
  readonly uptimeMs: () => number;
}

export function newDaemonState(order: DaemonOrder, { board, slots, say, uptimeMs }: StateHands) {
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
    /** Nothing can be done, as far as it is known: all of the list is to be looked at, at once. */
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
      const wasIdle = isIdle;
      isIdle = order.isOnce && steps.isIdle;
      if (isIdle) {
        // What was completed a moment ago may not have been told of yet: only the second look counts.
        if (wasIdle) ending ??= "done";
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
