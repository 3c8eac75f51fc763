// Which task is next, and for whom. Pure.
//
// Of all that can be started, a worker gets one whose label nobody else is working on, as long as
// there is one: work of the same label tends to touch the same files. Among those, the most urgent
// comes first, then the oldest: the lowest number, and after all numbers the other ids by their age.

import type { PoolTask } from "./task.ts";

type Selectable = Pick<PoolTask, "id" | "label" | "priority" | "createdAtMs">;

export interface AssignmentRequest<T extends Selectable> {
  /** In the order of `bySelection`, as the board gives them. */
  readonly eligible: readonly T[];
  readonly idle: readonly string[];
  /** Labels of the tasks that are worked on, by whomever. */
  readonly busyLabels: readonly string[];
  /** Tasks that are not to be given out now: they were, and could not be claimed. */
  readonly except?: ReadonlySet<string>;
}

export interface TaskAssignment<T extends Selectable> {
  readonly worker: string;
  readonly task: T;
  /** What the others were working on when it was chosen. */
  readonly otherLabels: readonly string[];
}

/** One for each idle worker, as far as there are tasks; each is chosen with the earlier ones at work. */
export function planAssignments<T extends Selectable>({
  eligible,
  idle,
  busyLabels,
  except = new Set(),
}: AssignmentRequest<T>): TaskAssignment<T>[] {
  const labels = new Set(busyLabels);
  const given = new Set(except);
  const orders: TaskAssignment<T>[] = [];
  for (const worker of idle) {
    const task = selectTask(eligible, labels, given);
    if (!task) break;
    orders.push({ worker, task, otherLabels: [...labels] });
    given.add(task.id);
    if (task.label !== undefined) labels.add(task.label);
  }
  return orders;
}

/** The first whose label is nobody else's, or simply the first. One without a label differs from all. */
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

/** Exact at any length: a number of milliseconds with a counter behind it is an id, too. */
const numberOf = (id: string): number | bigint | undefined => {
  if (!IS_NUMBER.test(id)) return undefined;
  return id.length <= 15 ? Number(id) : BigInt(id);
};

const compare = (one: number | bigint, other: number | bigint): number =>
  one < other ? -1 : one > other ? 1 : 0;
const compareText = (one: string, other: string): number =>
  one < other ? -1 : one > other ? 1 : 0;
