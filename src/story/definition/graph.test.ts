import { describe, expect, it } from "vitest";
import { numbers } from "../../../test/support/seeded.ts";
import {
  findCycles,
  inOrder,
  missingReferences,
  nextOrder,
  readyIds,
  tasksInOrder,
  waitingFor,
  type Link,
} from "./graph.ts";

/** `link("c", "a b")` waits for a and b. */
const link = (id: string, blockedBy = "", isDone = false): Link => ({
  id,
  blockedBy: blockedBy.split(" ").filter((blocker) => blocker !== ""),
  isDone,
});
const done = (id: string, blockedBy = ""): Link => link(id, blockedBy, true);
const idsOf = (links: readonly Link[]): string => links.map(({ id }) => id).join(" ");

describe("a ready link", () => {
  it("has no blockers, or only done ones", () => {
    expect(readyIds([done("a"), link("b"), link("c", "a"), link("d", "a b")])).toEqual(["b", "c"]);
  });

  it("is not done itself", () => {
    expect(readyIds([done("a"), done("b", "a")])).toEqual([]);
  });

  it("keeps its place in the given order", () => {
    expect(readyIds([link("z"), link("a"), link("m")])).toEqual(["z", "a", "m"]);
  });

  it("has no missing blocker", () => {
    expect(readyIds([link("a", "gone")])).toEqual([]);
  });

  it("is not inside a cycle", () => {
    expect(readyIds([link("a", "b"), link("b", "a"), link("c", "c")])).toEqual([]);
  });

  it("does not exist in an empty list", () => {
    expect(readyIds([])).toEqual([]);
  });
});

describe("a waiting link", () => {
  it("names its open blockers, not the done ones", () => {
    const links = [done("a"), link("b"), link("c", "a b"), link("d", "a")];
    expect(waitingFor(links)).toEqual(new Map([["c", ["b"]]]));
  });

  it("waits for a missing blocker too", () => {
    expect(waitingFor([link("a", "gone")])).toEqual(new Map([["a", ["gone"]]]));
  });

  it("is never done", () => {
    expect(waitingFor([done("a", "b"), link("b")])).toEqual(new Map());
  });
});

describe("a missing reference", () => {
  it("is named together with the link that refers to it", () => {
    expect(missingReferences([link("a", "x b"), link("b", "y"), done("c", "x")])).toEqual([
      { id: "a", missing: "x" },
      { id: "b", missing: "y" },
      { id: "c", missing: "x" },
    ]);
  });

  it("is not a link's reference to itself", () => {
    expect(missingReferences([link("a", "a")])).toEqual([]);
  });
});

describe("the order", () => {
  it("puts blockers before what they block", () => {
    expect(idsOf(inOrder([link("c", "b"), link("b", "a"), link("a")]))).toBe("a b c");
  });

  it("is the given order among links that do not wait for each other", () => {
    expect(idsOf(inOrder([link("z"), link("a"), link("m")]))).toBe("z a m");
  });

  it("does not change a list that is in order", () => {
    expect(idsOf(inOrder([link("a"), link("c", "a"), link("b")]))).toBe("a c b");
  });

  it("treats done links like others", () => {
    expect(idsOf(inOrder([link("b", "a"), done("a")]))).toBe("a b");
  });

  it("ignores a missing reference", () => {
    expect(idsOf(inOrder([link("a", "gone"), link("b", "a")]))).toBe("a b");
  });

  it("puts links in or behind a cycle last", () => {
    const links = [link("a", "b"), link("b", "a"), link("c", "a"), link("d")];
    expect(idsOf(inOrder(links))).toBe("d a b c");
  });

  it("returns the same objects", () => {
    const [first, second] = [link("b", "a"), link("a")];
    expect(inOrder([first, second])[0]).toBe(second);
  });
});

describe("a cycle", () => {
  it("is not found in a list without one", () => {
    expect(findCycles([])).toEqual([]);
    expect(findCycles([link("a"), link("b", "a"), link("c", "a b gone")])).toEqual([]);
  });

  it("of one link is a link that waits for itself", () => {
    expect(findCycles([link("a", "a"), link("b")])).toEqual([["a"]]);
  });

  it("is a list of ids, each waiting for the next", () => {
    expect(findCycles([link("a", "c"), link("b", "a"), link("c", "b")])).toEqual([["a", "c", "b"]]);
  });

  it("is found when all of its links are done, because its order is still wrong", () => {
    expect(findCycles([done("a", "b"), done("b", "a")])).toEqual([["a", "b"]]);
  });

  it("does not contain links behind it or before it", () => {
    const links = [link("start"), link("x", "y start"), link("y", "x"), link("behind", "y")];
    expect(findCycles(links)).toEqual([["x", "y"]]);
  });

  it("is found when the search starts outside of it", () => {
    expect(findCycles([link("a", "b"), link("b", "c"), link("c", "b")])).toEqual([["b", "c"]]);
  });

  it("is found in every separate component", () => {
    const links = [link("a", "b"), link("b", "a"), link("c", "d"), link("d", "c"), link("e", "e")];
    expect(sorted(findCycles(links))).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  });

  it("is found behind another cycle", () => {
    const links = [link("a", "b"), link("b", "a"), link("c", "d a"), link("d", "c b")];
    expect(sorted(findCycles(links))).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  it("is reported once for a component of many cycles", () => {
    const links = [link("a", "b c"), link("b", "a"), link("c", "d"), link("d", "a c")];
    const cycles = findCycles(links);
    expect(cycles).toHaveLength(1);
    expectCycle(links, cycles[0] ?? []);
  });

  it("leaves out the path into the loop", () => {
    const links = [link("a", "b"), link("b", "c"), link("c", "b a")];
    expect(findCycles(links)).toEqual([["b", "c"]]);
  });
});

describe("a chain of 5,000", () => {
  const last = 4999;
  const name = (place: number): string => `t${place}`;
  const chain = Array.from({ length: last + 1 }, (_, place) =>
    link(name(place), place === last ? "" : name(place + 1)),
  );

  it("is put in order", () => {
    expect(inOrder(chain)[0]?.id).toBe(name(last));
    expect(inOrder(chain)[last]?.id).toBe(name(0));
    expect(readyIds(chain)).toEqual([name(last)]);
    expect(findCycles(chain)).toEqual([]);
  });

  it("is found as a whole when its end waits for its start", () => {
    const ring = [...chain.slice(0, last), link(name(last), name(0))];
    const cycles = findCycles(ring);
    expect(cycles).toHaveLength(1);
    expect(cycles[0]).toHaveLength(last + 1);
    expectCycle(ring, cycles[0] ?? []);
  });
});

describe("any graph, compared with the simplest implementation", () => {
  const random = numbers(20_261_115);
  const graphs = Array.from({ length: 400 }, () => randomLinks(random));

  it("has the same ready links, and every unfinished link is either ready or waiting", () => {
    for (const links of graphs) {
      const isDone = (id: string): boolean => links.some((one) => one.id === id && one.isDone);
      const unfinished = links.filter((one) => !one.isDone);
      const ready = unfinished.filter((one) => one.blockedBy.every(isDone)).map(({ id }) => id);
      expect(readyIds(links)).toEqual(ready);
      expect([...waitingFor(links).keys()]).toEqual(
        unfinished.map(({ id }) => id).filter((id) => !ready.includes(id)),
      );
    }
  });

  it("has one true cycle for each component", () => {
    for (const links of graphs) {
      const cycles = findCycles(links);
      for (const cycle of cycles) expectCycle(links, cycle);
      const knotsFound = cycles.map((cycle) => knotOf(links, cycle[0] ?? "")).toSorted();
      const knots = links.map(({ id }) => knotOf(links, id)).filter((knot) => knot !== "");
      expect(knotsFound).toEqual([...new Set(knots)].toSorted());
    }
  });

  it("contains every link once in order, blockers first unless they are in or behind a cycle", () => {
    for (const links of graphs) {
      const ordered = inOrder(links).map(({ id }) => id);
      expect(ordered.toSorted()).toEqual(links.map(({ id }) => id).toSorted());
      for (const { id, blockedBy } of links) {
        if (isHeldUp(links, id)) continue;
        for (const blocker of blockedBy.filter((one) => ordered.includes(one))) {
          expect(ordered.indexOf(blocker)).toBeLessThan(ordered.indexOf(id));
        }
      }
    }
  });
});

const sorted = (cycles: readonly string[][]): string[][] =>
  cycles.toSorted((one, other) => (one.join() < other.join() ? -1 : 1));

/** Each waits for the next, the last for the first, and no id occurs twice. */
function expectCycle(links: readonly Link[], cycle: readonly string[]): void {
  expect(new Set(cycle).size).toBe(cycle.length);
  const byId = new Map(links.map((one) => [one.id, one]));
  cycle.forEach((id, place) => {
    expect(byId.get(id)?.blockedBy).toContain(cycle[(place + 1) % cycle.length]);
  });
}

/** The ids reached by following blockers, at least one step. */
function reached(links: readonly Link[], from: string): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const blocker of links.find((one) => one.id === id)?.blockedBy ?? []) {
      if (seen.has(blocker)) continue;
      seen.add(blocker);
      open.push(blocker);
    }
  }
  return seen;
}

/** The ids that reach this one and are reached by it. Empty when it is not in a cycle. */
const knotOf = (links: readonly Link[], id: string): string =>
  [...reached(links, id)]
    .filter((other) => reached(links, other).has(id))
    .toSorted()
    .join(" ");

const isHeldUp = (links: readonly Link[], id: string): boolean =>
  [id, ...reached(links, id)].some((one) => reached(links, one).has(one));

function randomLinks(random: () => number): Link[] {
  const names = "abcdefgh".slice(0, 1 + Math.floor(random() * 8)).split("");
  const density = random() * 0.4;
  return names.map((id) => ({
    id,
    blockedBy: [...names, "gone"].filter(() => random() < density),
    isDone: random() < 0.3,
  }));
}

describe("the tasks of a story", () => {
  const task = (id: string, order?: number, blockedBy = "") => ({ ...link(id, blockedBy), order });

  it("are listed by their number", () => {
    expect(idsOf(tasksInOrder([task("ci", 3), task("config", 1), task("fix", 2)]))).toBe(
      "config fix ci",
    );
  });

  it("come after their blockers, whatever their number", () => {
    const tasks = [task("ci", 1, "fix"), task("config", 2), task("fix", 3, "config")];
    expect(idsOf(tasksInOrder(tasks))).toBe("config fix ci");
  });

  it("keep the given order without a number, and come before those with one", () => {
    expect(idsOf(tasksInOrder([task("fix-2", 2), task("fix", 1), task("b"), task("a")]))).toBe(
      "b a fix fix-2",
    );
  });

  it("get the highest number plus one", () => {
    expect(nextOrder([])).toBe(1);
    expect(nextOrder([{}, { order: 4 }, { order: 2 }, { order: "9" }])).toBe(5);
  });
});
