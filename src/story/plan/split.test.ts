import { describe, expect, it } from "vitest";
import { aPart as part } from "../../../test/support/parts.ts";
import { DEFAULT_CEILING } from "../definition/validate.ts";
import { findCycles, missingReferences } from "../definition/graph.ts";
import type { FileFields } from "./merge-fields.ts";
import { problemSentences, type Part } from "./split-proposal.ts";
import { splitTask, type SplitResult } from "./split.ts";
import { taskSchema } from "../definition/task.ts";

const task = (id: string, more: FileFields = {}): [string, FileFields] => [
  id,
  { id, subject: `Do ${id}`, description: `How to do ${id}.`, status: "pending", ...more },
];

/** `big` comes after `ground` and before `roof`. */
const HOUSE = new Map([
  task("ground"),
  task("big", { blockedBy: ["ground"], status: "in_progress" }),
  task("roof", { blockedBy: ["big"] }),
]);
const CHAIN = [part("walls"), part("windows", { blockedBy: ["walls"] })];

const split = (
  tasks: ReadonlyMap<string, FileFields>,
  proposal: readonly Part[],
  finished = false,
): SplitResult => splitTask(tasks, "big", proposal, { finished, ceiling: DEFAULT_CEILING });

/** The story afterwards; every file of it is one that may be written. */
function after(tasks: ReadonlyMap<string, FileFields>, done: SplitResult): Map<string, FileFields> {
  if (done.kind === "refused") throw new Error(problemSentences(done.findings).join("\n"));
  const all = new Map(tasks);
  for (const { id, action, fields } of done.files) {
    expect(action, id).toBe(tasks.has(id) ? "update" : "create");
    expect(fields["id"]).toBe(id);
    all.set(id, fields);
  }
  const links = [...all.values()].map((fields) => ({ ...taskSchema.parse(fields), isDone: false }));
  expect([...missingReferences(links), ...findCycles(links)]).toEqual([]);
  return all;
}

const blockers = (tasks: ReadonlyMap<string, FileFields>): Record<string, unknown> =>
  Object.fromEntries([...tasks].map(([id, fields]) => [id, fields["blockedBy"] ?? []]));

const problems = (done: SplitResult): string[] =>
  done.kind === "refused" ? problemSentences(done.findings) : [];

describe("a task of which nothing is finished", () => {
  it("gives its id and file to the first part, and the others are added", () => {
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

  it("keeps its place: the first waits for what it waited for, and the last are waited for", () => {
    expect(blockers(after(HOUSE, split(HOUSE, CHAIN)))).toEqual({
      ground: [],
      big: ["ground"],
      windows: ["big"],
      roof: ["windows"],
    });
  });

  it("can become parts that do not wait for each other", () => {
    expect(blockers(after(HOUSE, split(HOUSE, [part("left"), part("right")])))).toEqual({
      ground: [],
      big: ["ground"],
      right: ["ground"],
      roof: ["big", "right"],
    });
  });

  it("is taken over by one that waits for no other, wherever it stands", () => {
    const proposal = [part("late", { blockedBy: ["early"] }), part("early")];
    const done = split(HOUSE, proposal);
    expect(done).toMatchObject({ into: ["big", "late"] });
    expect(after(HOUSE, done).get("big")).toMatchObject({ subject: "Do early" });
    expect(after(HOUSE, done).get("late")).toMatchObject({ blockedBy: ["big"] });
  });

  it("keeps fields that nobody knows, and loses what described the whole of it", () => {
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

  it("leaves everything alone that has nothing to do with it", () => {
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
  it("is that part, completed, and says where the rest is", () => {
    const done = split(HOUSE, CHAIN, true);
    expect(done).toMatchObject({ into: ["walls", "windows"] });
    expect(after(HOUSE, done).get("big")).toMatchObject({
      status: "completed",
      subject: "Do big",
      description: "How to do big.\n\nThe rest of it was split off into walls, windows.",
      blockedBy: ["ground"],
    });
  });

  it("is still waited for, and so are the last of the new ones", () => {
    expect(blockers(after(HOUSE, split(HOUSE, CHAIN, true)))).toEqual({
      ground: [],
      big: ["ground"],
      walls: ["ground"],
      windows: ["walls"],
      roof: ["big", "windows"],
    });
  });

  it("keeps fields that nobody knows, of itself and of those that wait for it", () => {
    const tasks = new Map(HOUSE)
      .set("big", { ...HOUSE.get("big"), mine: 1 })
      .set("roof", { ...HOUSE.get("roof"), theirs: 2 });
    const all = after(tasks, split(tasks, CHAIN, true));
    expect(all.get("big")).toMatchObject({ mine: 1 });
    expect(all.get("roof")).toMatchObject({ theirs: 2, blockedBy: ["big", "windows"] });
  });

  it("names no task twice among what is waited for", () => {
    const tasks = new Map([...HOUSE, task("roof", { blockedBy: ["ground", "big", "ground"] })]);
    expect(after(tasks, split(tasks, CHAIN, true)).get("roof")).toMatchObject({
      blockedBy: ["ground", "big", "windows"],
    });
  });
});

describe("the checks of a split task", () => {
  const checked = new Map(HOUSE).set("big", { ...HOUSE.get("big"), checks: ["npm test", "lint"] });

  it("run with the last part, after its own, and with no other", () => {
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

  it("make one of several last parts wait for the others: they could not pass before", () => {
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

  it("never make the one that takes the id over the last one", () => {
    const odd = [part("b", { blockedBy: ["c"] }), part("a"), part("c")];
    const all = after(checked, split(checked, odd));
    expect(all.get("big")).toMatchObject({ subject: "Do a", blockedBy: ["ground"] });
    expect(blockers(all)).toMatchObject({ b: ["c", "big"], roof: ["b"] });
  });
});

describe("a proposal is refused, with what to do,", () => {
  const wrong: [what: string, proposal: Part[], says: RegExp][] = [
    ["when an id is taken", [part("ground"), part("x")], /There is a task ground already\. Choose/],
    ["when it takes the task's own id", [part("big"), part("x")], /There is a task big already/],
    ["when an id comes twice", [part("x"), part("x")], /x is proposed twice\./],
    [
      "when one waits for a task outside",
      [part("x", { blockedBy: ["ground"] }), part("y")],
      /x waits for ground, which is not one of the new tasks\. Leave it out/,
    ],
    [
      "when one waits for a task that nobody knows",
      [part("x", { blockedBy: ["nowhere"] }), part("y")],
      /x waits for nowhere, .* Name one of the new tasks/,
    ],
    [
      "when they wait for each other",
      [part("x", { blockedBy: ["y"] }), part("y", { blockedBy: ["x"] })],
      /wait for each other: [xy] → [xy] → [xy]\./,
    ],
    ["when one waits for itself", [part("x", { blockedBy: ["x"] }), part("y")], /x → x/],
    [
      "when one has too many files",
      [part("x", { writeFiles: ["1", "2", "3", "4", "5", "6"] }), part("y")],
      /x changes 6 files; at most 5 are allowed\. Make it smaller/,
    ],
    [
      "when one has too many lines",
      [part("x", { estimatedLines: 201 }), part("y")],
      /x changes 201 lines/,
    ],
    ["when one names no file", [part("x", { writeFiles: [] }), part("y")], /x names no file/],
  ];
  it.each(wrong)("%s", (_, proposal, says) => {
    for (const finished of [true, false]) {
      const found = problems(split(HOUSE, proposal, finished));
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(says);
    }
  });

  it("with everything that is wrong with it at once", () => {
    const found = problems(
      split(HOUSE, [part("ground", { estimatedLines: 999 }), part("y", { blockedBy: ["roof"] })]),
    );
    expect(found).toHaveLength(3);
  });

  it("when the task is completed, or not there", () => {
    const tasks = new Map(HOUSE).set("big", { ...HOUSE.get("big"), status: "completed" });
    expect(problems(split(tasks, CHAIN))).toEqual([
      "The task big is completed. Only what is left to do can be split.",
    ]);
    expect(problems(split(new Map(), CHAIN))[0]).toContain("There is no task big");
  });
});

describe("at the ceiling itself", () => {
  it("a part is small enough", () => {
    const full = part("x", { writeFiles: ["1", "2", "3", "4", "5"], estimatedLines: 200 });
    expect(split(HOUSE, [full, part("y")]).kind).toBe("split");
  });
});

describe("a split that was written before", () => {
  it.each([true, false])("is known again, and changes nothing (finished: %s)", (finished) => {
    const done = split(HOUSE, CHAIN, finished);
    const all = after(HOUSE, done);
    const again = split(all, CHAIN, finished);
    expect(again).toEqual({
      kind: "split",
      into: done.kind === "split" ? done.into : [],
      files: [],
    });
  });

  it("is known again when its parts have gone on since", () => {
    const all = after(HOUSE, split(HOUSE, CHAIN));
    all.set("big", { ...all.get("big"), status: "completed" });
    expect(split(all, CHAIN)).toMatchObject({ kind: "split", files: [] });
  });

  it("is not mistaken for another with the same ids", () => {
    const all = after(HOUSE, split(HOUSE, CHAIN));
    const other = [part("walls"), part("windows", { subject: "Something else" })];
    expect(problems(split(all, other))[0]).toContain("There is a task windows already");
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
