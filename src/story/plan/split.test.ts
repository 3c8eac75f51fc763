import { describe, expect, it } from "vitest";
import { aPart as part } from "../../../test/support/parts.ts";
import {
  after,
  blockers,
  CHAIN,
  HOUSE,
  problems,
  split,
  task,
} from "../../../test/support/split-house.ts";

describe("a task of which nothing is committed", () => {
  it("gives its id and file to the first part, and the other parts are added", () => {
    const done = split(HOUSE, CHAIN);
    expect(done).toMatchObject({ kind: "split", into: ["big", "windows"] });
    const all = after(HOUSE, done);
    expect([...all.keys()]).toEqual(["ground", "big", "roof", "windows"]);
    expect(all.get("big")).toEqual({
      ...part("walls"),
      id: "big",
      status: "pending",
      blockedBy: ["ground"],
    });
    expect(all.get("windows")).toMatchObject({ splitFrom: "big", status: "pending" });
  });

  it("keeps its place: the first parts wait for its blockers, and its dependents for the last parts", () => {
    expect(blockers(after(HOUSE, split(HOUSE, CHAIN)))).toEqual({
      ground: [],
      big: ["ground"],
      windows: ["big"],
      roof: ["windows"],
    });
  });

  it("can be split into parts that do not wait for each other", () => {
    expect(blockers(after(HOUSE, split(HOUSE, [part("left"), part("right")])))).toEqual({
      ground: [],
      big: ["ground"],
      right: ["ground"],
      roof: ["big", "right"],
    });
  });

  it("gives its id to a part without blockers, wherever that is in the list", () => {
    const proposal = [part("late", { blockedBy: ["early"] }), part("early")];
    const done = split(HOUSE, proposal);
    expect(done).toMatchObject({ into: ["big", "late"] });
    expect(after(HOUSE, done).get("big")).toMatchObject({ subject: "Do early" });
    expect(after(HOUSE, done).get("late")).toMatchObject({ blockedBy: ["big"] });
  });

  it("keeps unknown fields, and loses the fields that described the whole", () => {
    const tasks = new Map(HOUSE).set("big", {
      ...HOUSE.get("big"),
      mine: { a: 1 },
      guidance: "All at once.",
      doneWhen: "It stands.",
      activeForm: "Building",
    });
    const big = after(tasks, split(tasks, CHAIN)).get("big");
    expect(big).toMatchObject({ mine: { a: 1 }, subject: "Do walls" });
    expect(Object.keys(big ?? {})).not.toEqual(expect.arrayContaining(["guidance"]));
    expect(big).not.toHaveProperty("doneWhen");
    expect(big).not.toHaveProperty("activeForm");
  });

  it("changes no other task", () => {
    const tasks = new Map([...HOUSE, task("garden", { blockedBy: ["ground"] })]);
    const done = split(tasks, CHAIN);
    expect(done.kind === "split" && done.files.map(({ id }) => id)).toEqual([
      "big",
      "windows",
      "roof",
    ]);
  });
});

describe("a task of which a part is committed", () => {
  it("becomes that part, completed, and names the tasks with the rest", () => {
    const done = split(HOUSE, CHAIN, true);
    expect(done).toMatchObject({ into: ["walls", "windows"] });
    expect(after(HOUSE, done).get("big")).toMatchObject({
      status: "completed",
      subject: "Do big",
      description: "How to do big.\n\nThe rest was split off into walls, windows.",
      blockedBy: ["ground"],
    });
  });

  it("keeps its dependents, which also wait for the last new tasks", () => {
    expect(blockers(after(HOUSE, split(HOUSE, CHAIN, true)))).toEqual({
      ground: [],
      big: ["ground"],
      walls: ["ground"],
      windows: ["walls"],
      roof: ["big", "windows"],
    });
  });

  it("keeps unknown fields of itself and of its dependents", () => {
    const tasks = new Map(HOUSE)
      .set("big", { ...HOUSE.get("big"), mine: 1 })
      .set("roof", { ...HOUSE.get("roof"), theirs: 2 });
    const all = after(tasks, split(tasks, CHAIN, true));
    expect(all.get("big")).toMatchObject({ mine: 1 });
    expect(all.get("roof")).toMatchObject({ theirs: 2, blockedBy: ["big", "windows"] });
  });

  it("names no blocker twice", () => {
    const tasks = new Map([...HOUSE, task("roof", { blockedBy: ["ground", "big", "ground"] })]);
    expect(after(tasks, split(tasks, CHAIN, true)).get("roof")).toMatchObject({
      blockedBy: ["ground", "big", "windows"],
    });
  });
});

describe("the checks of a split task", () => {
  const checked = new Map(HOUSE).set("big", { ...HOUSE.get("big"), checks: ["npm test", "lint"] });

  it("run with the last part, after its own checks, and with no other part", () => {
    const proposal = [
      part("walls", { checks: ["a"] }),
      part("windows", { blockedBy: ["walls"], checks: ["lint"] }),
    ];
    for (const finished of [true, false]) {
      const all = after(checked, split(checked, proposal, finished));
      expect(all.get("windows")).toMatchObject({ checks: ["lint", "npm test"] });
      expect(all.get(finished ? "walls" : "big")).toMatchObject({ checks: ["a"] });
      expect(finished ? all.get("big") : {}).not.toHaveProperty("checks");
    }
  });

  it("make one of several last parts wait for the others, because they could not pass before", () => {
    const three = [part("one"), part("two"), part("three")];
    const all = after(checked, split(checked, three));
    expect(blockers(all)).toMatchObject({
      big: ["ground"],
      two: ["ground"],
      three: ["big", "two"],
      roof: ["three"],
    });
    expect(all.get("three")).toMatchObject({ checks: ["npm test", "lint"] });
    expect(all.get("two")).not.toHaveProperty("checks");
  });

  it("never make the part with the id of the task the last one", () => {
    const odd = [part("b", { blockedBy: ["c"] }), part("a"), part("c")];
    const all = after(checked, split(checked, odd));
    expect(all.get("big")).toMatchObject({ subject: "Do a", blockedBy: ["ground"] });
    expect(blockers(all)).toMatchObject({ b: ["c", "big"], roof: ["b"] });
  });
});

describe("at the maximum size", () => {
  it("a part is small enough", () => {
    const full = part("x", { writeFiles: ["1", "2", "3", "4", "5"], estimatedLines: 200 });
    expect(split(HOUSE, [full, part("y")]).kind).toBe("split");
  });
});

describe("a split that is on disk already", () => {
  it.each([true, false])("is recognised, and changes nothing (finished: %s)", (finished) => {
    const done = split(HOUSE, CHAIN, finished);
    const all = after(HOUSE, done);
    const again = split(all, CHAIN, finished);
    expect(again).toEqual({
      kind: "split",
      into: done.kind === "split" ? done.into : [],
      files: [],
    });
  });

  it("is recognised when its parts have changed their status since", () => {
    const all = after(HOUSE, split(HOUSE, CHAIN));
    all.set("big", { ...all.get("big"), status: "completed" });
    expect(split(all, CHAIN)).toMatchObject({ kind: "split", files: [] });
  });

  it("is not mistaken for another with the same ids", () => {
    const all = after(HOUSE, split(HOUSE, CHAIN));
    const other = [part("walls"), part("windows", { subject: "Something else" })];
    expect(problems(split(all, other))[0]).toContain("The task windows already exists");
  });

  it("can be split further", () => {
    const once = after(HOUSE, split(HOUSE, CHAIN));
    const twice = after(
      once,
      split(once, [part("bricks"), part("plaster", { blockedBy: ["bricks"] })]),
    );
    expect(blockers(twice)).toEqual({
      ground: [],
      big: ["ground"],
      plaster: ["big"],
      windows: ["plaster"],
      roof: ["windows"],
    });
  });
});
