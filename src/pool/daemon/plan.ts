// What a daemon does next, from how things stand. Pure.

import { planAssignments, type TaskAssignment } from "../../tasks/select.ts";
import type { PoolTask } from "../../tasks/task.ts";

export interface WorkerView {
  readonly name: string;
  /** `gone`: there is no process, and none is on its way. `resting`: the same, after it has died. */
  readonly state: "starting" | "idle" | "busy" | "gone" | "resting";
  /** What it was told to do, and has not answered yet. */
  readonly given: string | undefined;
}

export interface PoolSituation {
  readonly eligible: readonly PoolTask[];
  /** Of the tasks that are worked on, by whomever. */
  readonly busyLabels: readonly string[];
  readonly workers: readonly WorkerView[];
  /** Draining: what runs is finished, and nothing is begun. */
  readonly mode: "running" | "draining";
  /** Ends when there is nothing left to do. */
  readonly isOnce: boolean;
  /** Tasks that could not be had a moment ago. */
  readonly except: ReadonlySet<string>;
  /** Whether a dead worker's task is still to be put back on the list. */
  readonly isRecoveryDue: boolean;
}

export interface NextSteps {
  readonly orders: readonly TaskAssignment<PoolTask>[];
  /** Workers that are sent home. */
  readonly dismiss: readonly string[];
  /** Workers that are missing. */
  readonly start: readonly string[];
  /** There is nothing to do, and nobody at work. */
  readonly isIdle: boolean;
  readonly isOver: boolean;
}

export function nextSteps(view: PoolSituation): NextSteps {
  const { eligible, workers, mode, busyLabels, isOnce } = view;
  const free = workers.filter(({ state, given }) => state === "idle" && given === undefined);
  if (mode === "draining") {
    const isOver = workers.every(({ state }) => state === "gone" || state === "resting");
    const dismiss = free.map(({ name }) => name);
    return { orders: [], dismiss, start: [], isIdle: false, isOver };
  }
  const given = workers.flatMap((worker) => worker.given ?? []);
  const except = new Set([...view.except, ...given]);
  const idle = free.map(({ name }) => name);
  const orders = planAssignments({ eligible, idle, busyLabels, except });
  const isIdle = given.length === 0 && eligible.length === 0 && !view.isRecoveryDue;
  // Whoever only wants what is there done needs no worker for nothing.
  const start = isOnce && isIdle ? [] : workers.filter(({ state }) => state === "gone");
  return { orders, dismiss: [], start: start.map(({ name }) => name), isIdle, isOver: false };
}
