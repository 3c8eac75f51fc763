// All tasks of a list, and what follows from them: which can be started, and what is wrong. A change of
// one task is judged on that task and on those that wait for it; the others are left as they are.
//
// A task can be started when it is pending, nobody's, not held for a person, and everything that blocks it is
// completed: what its own `blockedBy` names, and every task that names it in `blocks`.

import { findCycles } from "../story/definition/graph.ts";
import type { PoolProblem } from "./problem.ts";
import { bySelection } from "./select.ts";
import type { PoolTask } from "./task.ts";

export interface TaskBoard {
  /** What is known of a task now: itself, what is wrong with its file, or nothing when it is gone. */
  readonly put: (id: string, entry: PoolTask | PoolProblem | undefined) => void;
  readonly get: (id: string) => PoolTask | undefined;
  /** Those that can be started, in the order of selection. Valid until the next change. */
  readonly eligible: () => readonly PoolTask[];
  /** Those that someone is working on, the pool or anyone else. */
  readonly inProgress: () => readonly PoolTask[];
  /** What blocks a task, completed or not, whichever side says so. */
  readonly blockers: (id: string) => readonly string[];
  /** What an unfinished task still waits for. */
  readonly waitsFor: (id: string) => readonly string[];
  readonly problems: () => readonly PoolProblem[];
  readonly counts: () => BoardCounts;
}

export interface BoardCounts {
  readonly eligible: number;
  /** Pending, and waiting for others. */
  readonly waiting: number;
  /** Pending, and held for a person. */
  readonly held: number;
  readonly inProgress: number;
  readonly completed: number;
  /** Files that are no task. */
  readonly broken: number;
}

type Column = Exclude<keyof BoardCounts, "eligible"> | "eligible";

/** `fileOf` says where a task is kept, for the problems that are found here. */
export function newTaskBoard(fileOf: (id: string) => string): TaskBoard {
  const tasks = new Map<string, PoolTask>();
  const broken = new Map<string, PoolProblem>();
  const dependants = new Map<string, Set<string>>();
  const places = new Map<string, Column>();
  const missing = new Map<string, readonly string[]>();
  const working = new Map<string, PoolTask>();
  const eligible: PoolTask[] = [];
  const counts = { eligible: 0, waiting: 0, held: 0, inProgress: 0, completed: 0, broken: 0 };
  /** Who names a task in `blocks`. */
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
      // Nothing else about it matters to those that wait for it.
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
  // Someone has put a name on it: that one is about to begin.
  if (task.status === "in_progress" || task.owner !== undefined) return "inProgress";
  if (task.held) return "held";
  return isWaiting ? "waiting" : "eligible";
}

/** Where it stands in the order, or would: no two have the same place, because ids differ. */
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
  /** What blocks these has changed from the other side. */
  readonly touched: (ids: readonly string[]) => void;
  readonly found: () => readonly (readonly string[])[];
}

/**
 * Tasks that wait for each other, of those that are not completed. A new cycle goes through a task that
 * was changed, so only what such a task waits for is searched, and all of the list only when there is one.
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
      // Its name alone closes no cycle: it takes something that it waits for.
      const isReopened = isOpen(now) !== isOpen(before) && blockers(id).length > 0;
      if (isReopened || !isSameList(ownOf(now), ownOf(before))) changed.add(id);
    },
    touched(ids) {
      for (const id of ids) changed.add(id);
    },
    found() {
      if (changed.size === 0) return cycles;
      // One circle is told of each knot: a change elsewhere in the knot may leave two of them.
      if (cycles.length > 0 || closesCycle(changed, openBlockers)) {
        const open = [...tasks.values()].filter(({ status }) => status !== "completed");
        cycles = findCycles(open.map(({ id }) => ({ id, blockedBy: blockers(id), isDone: false })));
      }
      changed.clear();
      return cycles;
    },
  };
}

/** Whether a way from one of these leads back to where it came by. Each task is walked through once. */
function closesCycle(
  from: ReadonlySet<string>,
  openBlockers: (id: string) => readonly string[],
): boolean {
  const seen = new Set<string>();
  for (const start of from) {
    if (seen.has(start)) continue;
    const onTheWay = new Set([start]);
    const walk = [{ id: start, next: 0 }];
    for (let step = walk.at(-1); step !== undefined; step = walk.at(-1)) {
      const blocker = openBlockers(step.id)[step.next++];
      if (blocker === undefined) {
        onTheWay.delete(step.id);
        seen.add(step.id);
        walk.pop();
      } else if (onTheWay.has(blocker)) return true;
      else if (!seen.has(blocker)) {
        onTheWay.add(blocker);
        walk.push({ id: blocker, next: 0 });
      }
    }
  }
  return false;
}

function missingDependency(id: string, file: string, gone: readonly string[]): PoolProblem {
  const what = gone.length === 1 ? "a task that is" : "tasks that are";
  const message = `Task ${id} waits for ${gone.join(", ")}, ${what} not there.`;
  return { kind: "missing-dependency", file, taskId: id, message };
}

function circularDependency(cycle: readonly string[], file: string): PoolProblem {
  const way = [...cycle, cycle[0] ?? ""].join(" → ");
  const taskId = cycle[0] ?? "";
  const message = `Tasks wait for each other in a circle: ${way}.`;
  return { kind: "cycle", file, taskId, message };
}
