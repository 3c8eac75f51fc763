// A task of the pool's list as people see it, on a terminal and on a page: one rule for its state, and why.
// Pure.

import type { BrokenEntry, PoolListing } from "./listing.ts";
import type { PoolProblem } from "./problem.ts";
import { bySelection } from "./select.ts";
import type { PoolTask } from "./task.ts";

/** In the order in which people want to see them: who works, what is next, what stands in the way. */
export const POOL_TASK_STATES = [
  "working",
  "abandoned",
  "ready",
  "waiting",
  "needs-you",
  "broken",
  "completed",
] as const;
export type PoolTaskState = (typeof POOL_TASK_STATES)[number];

export interface PoolTaskView {
  readonly id: string;
  readonly subject: string;
  readonly state: PoolTaskState;
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

/** What only the disk and the processes know of a task. */
export interface ListFacts {
  /** Tasks whose claim is dead, or gone. */
  readonly dead: ReadonlySet<string>;
  /** By task, what a living worker says that it has: then that one is not dead, claim or none. */
  readonly running: ReadonlyMap<string, { readonly worker: string; readonly sinceMs: number }>;
  /** Of others only the time of the file is known. */
  readonly changedAtMs?: (id: string) => number | undefined;
}

/** Every task and every file that is none, in no order. */
export function viewList(
  { board, tasks, broken }: PoolListing,
  facts: ListFacts,
): readonly PoolTaskView[] {
  // Turned round, so that of several on one task the first counts.
  const found = board.problems().toReversed();
  const problems = new Map(found.map((problem) => [problem.taskId, problem]));
  return [
    ...[...tasks].map(([id, { pool }]) =>
      viewTask(pool, {
        waitsFor: board.waitsFor(id),
        problem: problems.get(id),
        isOwnerDead: facts.dead.has(id) && facts.running.get(id)?.worker !== pool.owner,
        sinceMs: () => facts.running.get(id)?.sinceMs ?? facts.changedAtMs?.(id),
      }),
    ),
    ...[...broken].map(([id, entry]) => viewBroken(id, entry)),
  ];
}

interface TaskFacts {
  readonly waitsFor: readonly string[];
  /** What is wrong with its dependencies. */
  readonly problem: PoolProblem | undefined;
  readonly isOwnerDead: boolean;
  /** Asked for only where it counts. */
  readonly sinceMs: () => number | undefined;
}

function viewTask(task: PoolTask, facts: TaskFacts): PoolTaskView {
  const { state, why } = stateOf(task, facts);
  const isTaken = state === "working" || state === "abandoned";
  const sinceMs = isTaken ? facts.sinceMs() : undefined;
  return {
    id: task.id,
    subject: task.subject,
    state,
    why,
    priority: task.priority,
    label: task.label,
    owner: task.owner,
    since: sinceMs === undefined ? undefined : new Date(sinceMs).toISOString(),
    waitsFor: facts.waitsFor,
    attempts: task.attempts,
  };
}

interface StateAndReason {
  readonly state: PoolTaskState;
  readonly why: string | undefined;
}

function stateOf(task: PoolTask, { waitsFor, problem, isOwnerDead }: TaskFacts): StateAndReason {
  if (task.status === "completed") return { state: "completed", why: undefined };
  if (task.status === "in_progress" || task.owner !== undefined) {
    return isOwnerDead
      ? { state: "abandoned", why: `${task.owner ?? "Its worker"} has died; a pool takes it back.` }
      : { state: "working", why: task.lastFailure };
  }
  if (task.held) return { state: "needs-you", why: task.held.why };
  if (problem) return { state: "broken", why: problem.message };
  return { state: waitsFor.length > 0 ? "waiting" : "ready", why: task.lastFailure };
}

/** What Claude itself sees of it is shown all the same. */
const viewBroken = (id: string, { problem, task }: BrokenEntry): PoolTaskView => ({
  id,
  subject: task?.subject ?? "",
  state: "broken",
  why: problem.message,
  priority: undefined,
  label: undefined,
  owner: task?.owner || undefined,
  since: undefined,
  waitsFor: [],
  attempts: 0,
});

/** By state, and in each as the pool would select them. */
export const inOrder = (
  views: readonly PoolTaskView[],
  tasks: PoolListing["tasks"],
): PoolTaskView[] =>
  views.toSorted((one, other) => {
    const byState = POOL_TASK_STATES.indexOf(one.state) - POOL_TASK_STATES.indexOf(other.state);
    if (byState !== 0) return byState;
    const [first, second] = [tasks.get(one.id), tasks.get(other.id)];
    if (first && second) return bySelection(first.pool, second.pool);
    return one.id < other.id ? -1 : 1;
  });
