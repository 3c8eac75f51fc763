// What a daemon does next, from the current situation. Pure.

import { planAssignments, type TaskAssignment } from "../../tasks/select.ts";
import type { PoolTask } from "../../tasks/task.ts";

export interface WorkerView {
  readonly name: string;
  /** `gone`: no process, and none is being started. `resting`: the same, shortly after it died. */
  readonly state: "starting" | "idle" | "busy" | "gone" | "resting";
  /** The task that was assigned to it and that it has not answered yet. */
  readonly given: string | undefined;
}

export interface PoolSituation {
  readonly eligible: readonly PoolTask[];
  /** The labels of all tasks in progress, of any worker. */
  readonly busyLabels: readonly string[];
  readonly workers: readonly WorkerView[];
  /** Draining: running tasks are finished, and none is started. */
  readonly mode: "running" | "draining";
  /** The pool ends when there is nothing left to do. */
  readonly isOnce: boolean;
  /** Tasks that could not be claimed a moment ago. */
  readonly except: ReadonlySet<string>;
  /** A dead worker's task still has to be returned to the list. */
  readonly isRecoveryDue: boolean;
}

export interface NextSteps {
  readonly assignments: readonly TaskAssignment<PoolTask>[];
  /** Workers that are told to end. */
  readonly dismiss: readonly string[];
  /** Workers to start. */
  readonly start: readonly string[];
  /** There is nothing to do, and no task is assigned. */
  readonly isIdle: boolean;
  readonly isOver: boolean;
}

export function nextSteps(view: PoolSituation): NextSteps {
  const { eligible, workers, mode, busyLabels, isOnce } = view;
  const free = workers.filter(({ state, given }) => state === "idle" && given === undefined);
  if (mode === "draining") {
    const isOver = workers.every(({ state }) => state === "gone" || state === "resting");
    const dismiss = free.map(({ name }) => name);
    return { assignments: [], dismiss, start: [], isIdle: false, isOver };
  }
  const given = workers.flatMap((worker) => worker.given ?? []);
  const except = new Set([...view.except, ...given]);
  const idle = free.map(({ name }) => name);
  const assignments = planAssignments({ eligible, idle, busyLabels, except });
  const isIdle = given.length === 0 && eligible.length === 0 && !view.isRecoveryDue;
  // With --once, no worker is started when there is nothing to do.
  const start = isOnce && isIdle ? [] : workers.filter(({ state }) => state === "gone");
  return { assignments, dismiss: [], start: start.map(({ name }) => name), isIdle, isOver: false };
}
