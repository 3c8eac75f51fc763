// A task of the pool's list as people see it. Pure.

import type { PoolProblem } from "./pool-problem.ts";
import type { PoolTask } from "./pool-task.ts";
import { bySelection } from "./select.ts";

/** In the order in which people want to see them: who works, what is next, what stands in the way. */
export const TASK_STATES = [
  "working",
  "abandoned",
  "ready",
  "waiting",
  "needs-you",
  "broken",
  "completed",
] as const;
export type TaskState = (typeof TASK_STATES)[number];

export interface TaskView {
  readonly id: string;
  readonly subject: string;
  readonly state: TaskState;
  /** What a person or a file has to say about it. */
  readonly why: string | undefined;
  readonly priority: number | undefined;
  readonly label: string | undefined;
  readonly owner: string | undefined;
  /** Since when it is worked on. */
  readonly since: string | undefined;
  readonly waitsFor: readonly string[];
  readonly attempts: number;
}

/** What only the disk and the processes know. */
export interface TaskFacts {
  readonly waitsFor: readonly string[];
  /** What is wrong with its dependencies. */
  readonly problem: PoolProblem | undefined;
  readonly sinceMs: number | undefined;
  readonly isOwnerDead: boolean;
}

export function viewTask(task: PoolTask, facts: TaskFacts): TaskView {
  const { state, why } = stateOf(task, facts);
  const isTaken = state === "working" || state === "abandoned";
  return {
    id: task.id,
    subject: task.subject,
    state,
    why,
    priority: task.priority,
    label: task.label,
    owner: task.owner,
    since:
      isTaken && facts.sinceMs !== undefined ? new Date(facts.sinceMs).toISOString() : undefined,
    waitsFor: facts.waitsFor,
    attempts: task.attempts,
  };
}

interface Judged {
  readonly state: TaskState;
  readonly why: string | undefined;
}

function stateOf(task: PoolTask, { waitsFor, problem, isOwnerDead }: TaskFacts): Judged {
  if (task.status === "completed") return { state: "completed", why: undefined };
  if (task.status === "in_progress" || task.owner !== undefined) {
    return isOwnerDead
      ? { state: "abandoned", why: `${task.owner ?? "Its worker"} has died; a pool takes it back.` }
      : { state: "working", why: undefined };
  }
  if (task.held) return { state: "needs-you", why: task.held.why };
  if (problem) return { state: "broken", why: problem.message };
  if (waitsFor.length > 0) return { state: "waiting", why: undefined };
  return { state: "ready", why: task.lastFailure };
}

/** A file that is no task. */
export const viewBroken = (id: string, problem: PoolProblem): TaskView => ({
  id,
  subject: "",
  state: "broken",
  why: problem.message,
  priority: undefined,
  label: undefined,
  owner: undefined,
  since: undefined,
  waitsFor: [],
  attempts: 0,
});

/** By state, and in each as the pool would select them. */
export function inOrder(
  views: readonly TaskView[],
  poolTaskOf: (id: string) => PoolTask | undefined,
): TaskView[] {
  return views.toSorted((one, other) => {
    const byState = TASK_STATES.indexOf(one.state) - TASK_STATES.indexOf(other.state);
    if (byState !== 0) return byState;
    const [first, second] = [poolTaskOf(one.id), poolTaskOf(other.id)];
    if (first && second) return bySelection(first, second);
    return one.id < other.id ? -1 : 1;
  });
}
