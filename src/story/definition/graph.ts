// Dependencies between the tasks of a story, or the stories of an epic. Nothing here recurses, so chains may have
// any length.

export interface Link {
  readonly id: string;
  readonly blockedBy: readonly string[];
  readonly isDone: boolean;
}

export interface MissingReference {
  readonly id: string;
  readonly missing: string;
}

/** The links that are not done and whose blockers all are, in the given order. */
export function readyIds(links: readonly Link[]): string[] {
  const done = doneIds(links);
  return links
    .filter((link) => !link.isDone && link.blockedBy.every((blocker) => done.has(blocker)))
    .map((link) => link.id);
}

/** The open blockers of each unfinished link. A blocker that does not exist counts as open. */
export function waitingFor(links: readonly Link[]): Map<string, string[]> {
  const done = doneIds(links);
  const waiting = new Map<string, string[]>();
  for (const link of links) {
    if (link.isDone) continue;
    const open = link.blockedBy.filter((blocker) => !done.has(blocker));
    if (open.length > 0) waiting.set(link.id, open);
  }
  return waiting;
}

export function missingReferences(links: readonly Link[]): MissingReference[] {
  const known = new Set(links.map((link) => link.id));
  return links.flatMap((link) =>
    link.blockedBy
      .filter((blocker) => !known.has(blocker))
      .map((missing) => ({ id: link.id, missing })),
  );
}

/** Blockers before the links they block, otherwise the given order. Links in or behind a cycle come last. */
export function inOrder<T extends Link>(links: readonly T[]): T[] {
  const left = leftInCycles(links);
  const free = new Map(links.filter((link) => !left.has(link.id)).map((link) => [link.id, link]));
  const ordered = new Set<T>();
  for (const link of free.values()) {
    const path = [{ link, next: 0 }];
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const blocker = free.get(step.link.blockedBy[step.next] ?? "");
      if (step.next >= step.link.blockedBy.length || ordered.has(step.link)) {
        ordered.add(step.link);
        path.pop();
      } else if (blocker) path.push({ link: blocker, next: 0 });
      step.next++;
    }
  }
  return [...ordered, ...left.values()];
}

/** The fields that decide a task's place in its story. */
export interface OrderedTask extends Pick<Link, "id" | "blockedBy"> {
  readonly order?: number | undefined;
}

/** The tasks of a story in the order of every list: blockers first, otherwise by `order`. */
export const tasksInOrder = <T extends OrderedTask>(tasks: readonly T[]): T[] =>
  inOrder(
    tasks
      .toSorted((one, other) => (one.order ?? 0) - (other.order ?? 0))
      .map((task) => ({ id: task.id, blockedBy: task.blockedBy, isDone: false, task })),
  ).map(({ task }) => task);

/** The `order` of the next new task. */
export const nextOrder = (tasks: Iterable<{ readonly order?: unknown }>): number =>
  Math.max(0, ...[...tasks].map(({ order }) => (typeof order === "number" ? order : 0))) + 1;

/** One cycle for each set of links that block each other. Each id waits for the next one, the last for the first. */
export function findCycles(links: readonly Link[]): string[][] {
  const left = leftInCycles(links);
  return componentsWithCycle(left).map((component) => cycleIn(component, left));
}

const doneIds = (links: readonly Link[]): Set<string> =>
  new Set(links.filter((link) => link.isDone).map((link) => link.id));

/** Removes links without open blockers until none is left. The remaining ones are in or behind a cycle. */
function leftInCycles<T extends Link>(links: readonly T[]): Map<string, T> {
  const left = new Map(links.map((link) => [link.id, link]));
  const dependants = new Map<string, string[]>();
  const openCount = new Map<string, number>();
  for (const link of links) {
    const blockers = link.blockedBy.filter((blocker) => left.has(blocker));
    openCount.set(link.id, blockers.length);
    for (const blocker of blockers) {
      const others = dependants.get(blocker);
      if (others) others.push(link.id);
      else dependants.set(blocker, [link.id]);
    }
  }
  const free = links.flatMap((link) => (openCount.get(link.id) === 0 ? [link.id] : []));
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    left.delete(id);
    for (const dependant of dependants.get(id) ?? []) {
      const open = (openCount.get(dependant) ?? 0) - 1;
      openCount.set(dependant, open);
      if (open === 0) free.push(dependant);
    }
  }
  return left;
}

/** The strongly connected components that contain a cycle: Tarjan's algorithm, without recursion. */
function componentsWithCycle(left: ReadonlyMap<string, Link>): Set<string>[] {
  const found: Set<string>[] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const lower = (id: string, to: number): void => {
    lowest.set(id, Math.min(lowest.get(id) ?? to, to));
  };
  for (const start of left.keys()) {
    if (order.has(start)) continue;
    const walk = [{ id: start, next: 0 }];
    for (let step = walk.at(-1); step !== undefined; step = walk.at(-1)) {
      const { id } = step;
      if (step.next === 0) {
        order.set(id, order.size);
        lower(id, order.size - 1);
        open.push(id);
        isOpen.add(id);
      }
      const blocker = left.get(id)?.blockedBy[step.next];
      step.next++;
      if (blocker !== undefined) {
        if (left.has(blocker) && !order.has(blocker)) walk.push({ id: blocker, next: 0 });
        else if (isOpen.has(blocker)) lower(id, order.get(blocker) ?? 0);
        continue;
      }
      walk.pop();
      const parent = walk.at(-1);
      if (parent) lower(parent.id, lowest.get(id) ?? 0);
      if (lowest.get(id) !== order.get(id)) continue;
      const members = new Set(open.splice(open.lastIndexOf(id)));
      for (const member of members) isOpen.delete(member);
      if (members.size > 1 || left.get(id)?.blockedBy.includes(id)) found.push(members);
    }
  }
  return found;
}

/** Every member of a component has a blocker in it, so following blockers ends in a cycle. */
function cycleIn(component: ReadonlySet<string>, left: ReadonlyMap<string, Link>): string[] {
  const path: string[] = [];
  const placeOf = new Map<string, number>();
  let id = [...component].toSorted()[0];
  while (id !== undefined && !placeOf.has(id)) {
    placeOf.set(id, path.length);
    path.push(id);
    id = left.get(id)?.blockedBy.find((blocker) => component.has(blocker));
  }
  return path.slice(id === undefined ? 0 : placeOf.get(id));
}
