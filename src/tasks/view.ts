// A task of the pool's list as people see it on a terminal and on a page: its state, and the reason. Pure.

import type { BrokenEntry, PoolListing } from "./listing.ts";
import type { PoolProblem } from "./problem.ts";
import { bySelection } from "./select.ts";
import type { PoolTask } from "./task.ts";

/** In display order: running, next, blocked. */
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
  /** The reason for its state, as a sentence. */
  readonly why: string | undefined;
  /** `why` is a question from the agent. */
  readonly isQuestion?: true;
  readonly priority: number | undefined;
  readonly label: string | undefined;
  readonly owner: string | undefined;
  /** When the work on it started. */
  readonly since: string | undefined;
  readonly waitsFor: readonly string[];
  readonly attempts: number;
}

/** Facts from the disk and from processes. */
export interface ListFacts {
  /** Tasks whose claim is dead or missing. */
  readonly dead: ReadonlySet<string>;
  /** By task, the living worker that reports to be working on it. It counts as alive, with or without a claim. */
  readonly running: ReadonlyMap<string, { readonly worker: string; readonly sinceMs: number }>;
  /** For tasks of others, only the time of the file is known. */
  readonly changedAtMs?: (id: string) => number | undefined;
}

/** All tasks and all files that are not tasks, unordered. */
export function viewList(
  { board, tasks, broken }: PoolListing,
  facts: ListFacts,
): readonly PoolTaskView[] {
  // Reversed, so that the first of several problems with one task wins.
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
  /** A problem with its dependencies. */
  readonly problem: PoolProblem | undefined;
  readonly isOwnerDead: boolean;
  /** Called only when needed. */
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
    ...(state === "needs-you" && task.held?.kind === "blocker" && { isQuestion: true }),
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
      ? {
          state: "abandoned",
          why: `${task.owner ?? "Its worker"} has died. The pool will take the task back.`,
        }
      : { state: "working", why: task.lastFailure };
  }
  if (task.held) return { state: "needs-you", why: task.held.why };
  if (problem) return { state: "broken", why: problem.message };
  return { state: waitsFor.length > 0 ? "waiting" : "ready", why: task.lastFailure };
}

/** Shows Claude's fields if they are valid. */
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

/** By state, and within one state in the order of selection. */
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
