// Selects the next task for each worker. Pure.
//
// A worker gets a task with a label that no other worker is busy with, if there is one: tasks with the same label tend
// to touch the same files. Among those the most urgent comes first, then the oldest: numbers in order, then other ids by
// age.

import type { PoolTask } from "./task.ts";

type Selectable = Pick<PoolTask, "id" | "label" | "priority" | "createdAtMs">;

export interface AssignmentRequest<T extends Selectable> {
  /** In the order of `bySelection`. */
  readonly eligible: readonly T[];
  readonly idle: readonly string[];
  /** Labels of the tasks in progress. */
  readonly busyLabels: readonly string[];
  /** Tasks to leave out: they were assigned before and could not be claimed. */
  readonly except?: ReadonlySet<string>;
}

export interface TaskAssignment<T extends Selectable> {
  readonly worker: string;
  readonly task: T;
  /** The labels that other workers were busy with when it was selected. */
  readonly otherLabels: readonly string[];
}

/** One task for each idle worker, while there are tasks. Each selection counts the earlier ones as in progress. */
export function planAssignments<T extends Selectable>({
  eligible,
  idle,
  busyLabels,
  except = new Set(),
}: AssignmentRequest<T>): TaskAssignment<T>[] {
  const labels = new Set(busyLabels);
  const excluded = new Set(except);
  const assignments: TaskAssignment<T>[] = [];
  for (const worker of idle) {
    const task = selectTask(eligible, labels, excluded);
    if (!task) break;
    assignments.push({ worker, task, otherLabels: [...labels] });
    excluded.add(task.id);
    if (task.label !== undefined) labels.add(task.label);
  }
  return assignments;
}

/** The first task with no label or a free one; otherwise the first. */
export function selectTask<T extends Selectable>(
  eligible: readonly T[],
  otherLabels: ReadonlySet<string>,
  except: ReadonlySet<string> = new Set(),
): T | undefined {
  let first: T | undefined;
  for (const task of eligible) {
    if (except.has(task.id)) continue;
    if (task.label === undefined || !otherLabels.has(task.label)) return task;
    first ??= task;
  }
  return first;
}

export function bySelection(one: Selectable, other: Selectable): number {
  return one.priority - other.priority || byAge(one, other);
}

function byAge(one: Selectable, other: Selectable): number {
  const [oneNumber, otherNumber] = [numberOf(one.id), numberOf(other.id)];
  if (oneNumber !== undefined && otherNumber !== undefined) {
    return compare(oneNumber, otherNumber) || compareText(one.id, other.id);
  }
  if (oneNumber !== undefined) return -1;
  if (otherNumber !== undefined) return 1;
  return one.createdAtMs - other.createdAtMs || compareText(one.id, other.id);
}

const IS_NUMBER = /^\d+$/;

/** Exact at any length: an id may be a timestamp with a counter. */
const numberOf = (id: string): number | bigint | undefined => {
  if (!IS_NUMBER.test(id)) return undefined;
  return id.length <= 15 ? Number(id) : BigInt(id);
};

const compare = (one: number | bigint, other: number | bigint): number =>
  one < other ? -1 : one > other ? 1 : 0;
const compareText = (one: string, other: string): number =>
  one < other ? -1 : one > other ? 1 : 0;
