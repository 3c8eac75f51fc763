// All tasks of a list, which of them can be started, and the problems between them. A change of one task updates that
// task and those that wait for it; the others are not looked at.
//
// A task can be started when it is pending, has no owner, is not held for a person, and all its blockers are completed:
// those in its `blockedBy`, and every task that names it in `blocks`.

import { findCycles } from "../story/definition/graph.ts";
import type { PoolProblem } from "./problem.ts";
import { bySelection } from "./select.ts";
import type { PoolTask } from "./task.ts";

export interface TaskBoard {
  /** Sets a task, or the problem of its file. Undefined removes it. */
  readonly put: (id: string, entry: PoolTask | PoolProblem | undefined) => void;
  readonly get: (id: string) => PoolTask | undefined;
  /** The tasks that can be started, in the order of selection. Valid until the next change. */
  readonly eligible: () => readonly PoolTask[];
  /** The tasks that the pool or anyone else is working on. */
  readonly inProgress: () => readonly PoolTask[];
  /** All blockers of a task, completed or not, from both `blockedBy` and `blocks`. */
  readonly blockers: (id: string) => readonly string[];
  /** The open blockers of an unfinished task. */
  readonly waitsFor: (id: string) => readonly string[];
  readonly problems: () => readonly PoolProblem[];
  readonly counts: () => BoardCounts;
}

export interface BoardCounts {
  readonly eligible: number;
  /** Pending, with open blockers. */
  readonly waiting: number;
  /** Pending, and held for a person. */
  readonly held: number;
  readonly inProgress: number;
  readonly completed: number;
  /** Files that are not tasks. */
  readonly broken: number;
}

type Column = keyof BoardCounts;

/** `fileOf`: the file of a task, for problems. */
export function newTaskBoard(fileOf: (id: string) => string): TaskBoard {
  const tasks = new Map<string, PoolTask>();
  const broken = new Map<string, PoolProblem>();
  const dependants = new Map<string, Set<string>>();
  const places = new Map<string, Column>();
  const missing = new Map<string, readonly string[]>();
  const working = new Map<string, PoolTask>();
  const eligible: PoolTask[] = [];
  const counts = { eligible: 0, waiting: 0, held: 0, inProgress: 0, completed: 0, broken: 0 };
  /** By task, those that name it in `blocks`. */
  const blockedFrom = new Map<string, Set<string>>();
  const blockers = (id: string): readonly string[] => {
    const own = tasks.get(id)?.blockedBy ?? [];
    const others = blockedFrom.get(id);
    return others === undefined ? own : [...new Set([...own, ...others])];
  };
  const cycles = newCycleTracker(tasks, blockers);

  const isDone = (id: string): boolean => tasks.get(id)?.status === "completed";
  const isKnown = (id: string): boolean => tasks.has(id) || broken.has(id);
  const waitsFor = (id: string): string[] => {
    const task = tasks.get(id);
    return !task || isDone(id) ? [] : blockers(id).filter((blocker) => !isDone(blocker));
  };

  const takeOff = (id: string): void => {
    const place = places.get(id);
    if (place === undefined) return;
    counts[place]--;
    places.delete(id);
    missing.delete(id);
    working.delete(id);
    const task = tasks.get(id);
    if (place === "eligible" && task) eligible.splice(indexIn(eligible, task), 1);
  };

  const judge = (id: string): void => {
    const task = tasks.get(id);
    const place = task ? columnOf(task, waitsFor(id).length > 0) : "broken";
    places.set(id, place);
    counts[place]++;
    if (!task) return;
    if (place === "eligible") eligible.splice(indexIn(eligible, task), 0, task);
    if (place === "inProgress") working.set(id, task);
    const gone = waitsFor(id).filter((blocker) => !isKnown(blocker));
    if (gone.length > 0) missing.set(id, gone);
  };

  return {
    put(id, entry) {
      const before = tasks.get(id);
      const wasDone = isDone(id);
      const wasKnown = isKnown(id);
      takeOff(id);
      unlink(dependants, id, before?.blockedBy ?? []);
      unlink(blockedFrom, id, before?.blocks ?? []);
      tasks.delete(id);
      broken.delete(id);
      if (entry && "kind" in entry) broken.set(id, entry);
      else if (entry) {
        tasks.set(id, entry);
        link(dependants, id, entry.blockedBy);
        link(blockedFrom, id, entry.blocks);
      }
      if (entry) judge(id);
      cycles.changed(id, before);
      const [blocked, blocksNow] = [before?.blocks ?? [], tasks.get(id)?.blocks ?? []];
      const isBlockingOthers = !isSameList(blocked, blocksNow);
      if (isBlockingOthers) cycles.touched([...blocked, ...blocksNow]);
      // Other changes do not matter to the tasks that wait for it.
      const isSame = wasDone === isDone(id) && wasKnown === isKnown(id);
      if (isSame && !isBlockingOthers) return;
      const waiting = isSame ? [] : (dependants.get(id) ?? []);
      for (const dependant of new Set([...waiting, ...blocked, ...blocksNow])) {
        if (dependant === id || !tasks.has(dependant)) continue;
        takeOff(dependant);
        judge(dependant);
      }
    },
    get: (id) => tasks.get(id),
    eligible: () => eligible,
    inProgress: () => [...working.values()],
    blockers,
    waitsFor,
    problems: () => [
      ...broken.values(),
      ...[...missing].map(([id, gone]) => missingDependency(id, fileOf(id), gone)),
      ...cycles.found().map((cycle) => circularDependency(cycle, fileOf(cycle[0] ?? ""))),
    ],
    counts: () => ({ ...counts }),
  };
}

type Links = Map<string, Set<string>>;

function link(ties: Links, id: string, to: readonly string[]): void {
  for (const other of to) {
    const known = ties.get(other);
    if (known) known.add(id);
    else ties.set(other, new Set([id]));
  }
}

function unlink(ties: Links, id: string, from: readonly string[]): void {
  for (const other of from) {
    const known = ties.get(other);
    known?.delete(id);
    if (known?.size === 0) ties.delete(other);
  }
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id, at) => id === other[at]);

function columnOf(task: PoolTask, isWaiting: boolean): Column {
  if (task.status === "completed") return "completed";
  // A pending task with an owner is about to be started by that owner.
  if (task.status === "in_progress" || task.owner !== undefined) return "inProgress";
  if (task.held) return "held";
  return isWaiting ? "waiting" : "eligible";
}

/** The index of a task in the order, present or not. Unambiguous, because ids differ. */
function indexIn(ordered: readonly PoolTask[], task: PoolTask): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = ordered[middle];
    if (other && bySelection(other, task) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface CycleTracker {
  readonly changed: (id: string, before: PoolTask | undefined) => void;
  /** The `blocks` of another task changed the blockers of these. */
  readonly touched: (ids: readonly string[]) => void;
  readonly found: () => readonly (readonly string[])[];
}

/**
 * Cycles between tasks that are not completed. A new cycle contains a changed task, so the search starts from those;
 * the whole list is searched only when there is a cycle.
 */
function newCycleTracker(
  tasks: ReadonlyMap<string, PoolTask>,
  blockers: TaskBoard["blockers"],
): CycleTracker {
  const changed = new Set<string>();
  let cycles: readonly (readonly string[])[] = [];
  const isOpen = (task: PoolTask | undefined): task is PoolTask =>
    task !== undefined && task.status !== "completed";
  const openBlockers = (id: string): readonly string[] =>
    isOpen(tasks.get(id)) ? blockers(id) : [];
  const ownOf = (task: PoolTask | undefined): readonly string[] =>
    isOpen(task) ? task.blockedBy : [];
  return {
    changed(id, before) {
      const now = tasks.get(id);
      // A task without blockers closes no cycle.
      const isReopened = isOpen(now) !== isOpen(before) && blockers(id).length > 0;
      if (isReopened || !isSameList(ownOf(now), ownOf(before))) changed.add(id);
    },
    touched(ids) {
      for (const id of ids) changed.add(id);
    },
    found() {
      if (changed.size === 0) return cycles;
      // Each connected group reports one cycle: a change in the group may leave two.
      if (cycles.length > 0 || closesCycle(changed, openBlockers)) {
        const open = [...tasks.values()].filter(({ status }) => status !== "completed");
        cycles = findCycles(open.map(({ id }) => ({ id, blockedBy: blockers(id), isDone: false })));
      }
      changed.clear();
      return cycles;
    },
  };
}

/** Whether a cycle is reachable from these tasks. Visits each task once. */
function closesCycle(
  from: ReadonlySet<string>,
  openBlockers: (id: string) => readonly string[],
): boolean {
  const visited = new Set<string>();
  for (const start of from) {
    if (visited.has(start)) continue;
    const path = new Set([start]);
    const walk = [{ id: start, next: 0 }];
    for (let step = walk.at(-1); step !== undefined; step = walk.at(-1)) {
      const blocker = openBlockers(step.id)[step.next++];
      if (blocker === undefined) {
        path.delete(step.id);
        visited.add(step.id);
        walk.pop();
      } else if (path.has(blocker)) return true;
      else if (!visited.has(blocker)) {
        path.add(blocker);
        walk.push({ id: blocker, next: 0 });
      }
    }
  }
  return false;
}

function missingDependency(id: string, file: string, gone: readonly string[]): PoolProblem {
  const message = `Task ${id} waits for ${gone.join(", ")}, which ${gone.length === 1 ? "does" : "do"} not exist.`;
  return { kind: "missing-dependency", file, taskId: id, message };
}

function circularDependency(cycle: readonly string[], file: string): PoolProblem {
  const way = [...cycle, cycle[0] ?? ""].join(" → ");
  const taskId = cycle[0] ?? "";
  const message = `Tasks wait for each other in a cycle: ${way}.`;
  return { kind: "cycle", file, taskId, message };
}
