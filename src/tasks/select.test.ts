import { describe, expect, it } from "vitest";
import { numbers } from "../../test/support/seeded.ts";
import { bySelection, planAssignments, selectTask } from "./select.ts";

interface Candidate {
  readonly id: string;
  readonly label: string | undefined;
  readonly priority: number;
  readonly createdAtMs: number;
}

const task = (id: string, more: Partial<Candidate> = {}): Candidate => ({
  id,
  label: undefined,
  priority: 3,
  createdAtMs: 0,
  ...more,
});

const inOrder = (...tasks: Candidate[]): string[] =>
  tasks.toSorted(bySelection).map(({ id }) => id);

describe("the order of selection", () => {
  it("is by priority first, the lowest value before the others", () => {
    expect(
      inOrder(task("1", { priority: 4 }), task("2", { priority: 0 }), task("3", { priority: 3 })),
    ).toEqual(["2", "3", "1"]);
  });

  it("is by number then, not by text", () => {
    expect(inOrder(task("10"), task("9"), task("100"), task("1"))).toEqual(["1", "9", "10", "100"]);
  });

  it("compares numbers of any length exactly", () => {
    const [low, high] = ["9007199254740993", "9007199254740994"];
    expect(inOrder(task(high), task(low), task("5"))).toEqual(["5", low, high]);
  });

  it("puts other ids after all numbers, by their creation time", () => {
    expect(
      inOrder(
        task("a", { createdAtMs: 30 }),
        task("12-foo", { createdAtMs: 10 }),
        task("99", { createdAtMs: 50 }),
        task("z", { createdAtMs: 20 }),
      ),
    ).toEqual(["99", "12-foo", "z", "a"]);
  });

  it("does not depend on the order of the input", () => {
    expect(inOrder(task("b"), task("a"), task("07"), task("7"))).toEqual(
      inOrder(task("7"), task("07"), task("a"), task("b")),
    );
  });
});

describe("a worker gets", () => {
  it("a task with a free label before a more urgent one with a busy label", () => {
    const eligible = [task("1", { label: "ui", priority: 0 }), task("2", { label: "backend" })];
    expect(selectTask(eligible, new Set(["ui"]))?.id).toBe("2");
  });

  it("a task without a label, which is never busy", () => {
    expect(selectTask([task("1", { label: "ui" }), task("2")], new Set(["ui"]))?.id).toBe("2");
    expect(selectTask([task("1"), task("2")], new Set())?.id).toBe("1");
  });

  it("any task when all labels are busy", () => {
    const eligible = [task("1", { label: "ui" }), task("2", { label: "ui" })];
    expect(selectTask(eligible, new Set(["ui"]))?.id).toBe("1");
  });

  it("nothing when there are no tasks", () => {
    expect(selectTask([], new Set())).toBeUndefined();
    expect(selectTask([task("1")], new Set(), new Set(["1"]))).toBeUndefined();
  });
});

describe("a plan", () => {
  it("gives each idle worker a different task, and counts earlier ones as in progress", () => {
    const eligible = [
      task("1", { label: "ui" }),
      task("2", { label: "ui" }),
      task("3", { label: "api" }),
      task("4", { label: "api" }),
    ];
    const orders = planAssignments({
      eligible,
      idle: ["auto-1", "auto-2", "auto-3"],
      busyLabels: ["db"],
    });
    expect(
      orders.map(({ worker, task: { id }, otherLabels }) => [worker, id, otherLabels]),
    ).toEqual([
      ["auto-1", "1", ["db"]],
      ["auto-2", "3", ["db", "ui"]],
      ["auto-3", "2", ["db", "ui", "api"]],
    ]);
  });

  it("leaves workers idle when there are too few tasks, and leaves out excluded tasks", () => {
    const eligible = [task("1"), task("2")];
    const idle = ["auto-1", "auto-2"];
    expect(
      planAssignments({ eligible, idle, busyLabels: [], except: new Set(["1"]) }),
    ).toMatchObject([{ worker: "auto-1", task: { id: "2" } }]);
    expect(planAssignments({ eligible, idle: [], busyLabels: [] })).toEqual([]);
  });
});

describe("any selection", () => {
  const random = numbers(20_030_707);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const anyTasks = (): Candidate[] =>
    Array.from({ length: Math.floor(random() * 12) }, (_, at) =>
      task(random() < 0.7 ? String(at * 7) : `t${at}`, {
        label: pick([undefined, "ui", "api", "db"]),
        priority: Math.floor(random() * 5),
        createdAtMs: Math.floor(random() * 1000),
      }),
    ).toSorted(() => random() - 0.5);

  it("is the same as by the steps in the design", () => {
    for (let turn = 0; turn < 2000; turn++) {
      const tasks = anyTasks();
      const others = new Set(["ui", "api", "db"].filter(() => random() < 0.5));
      expect(selectTask(tasks.toSorted(bySelection), others)).toEqual(asWritten(tasks, others));
    }
  });

  /** The steps in the design, on numbers that a plain comparison can handle. */
  function asWritten(
    tasks: readonly Candidate[],
    others: ReadonlySet<string>,
  ): Candidate | undefined {
    const distinct = tasks.filter(({ label }) => label === undefined || !others.has(label));
    const considered = distinct.length === 0 ? tasks : distinct;
    const lowest = Math.min(...considered.map(({ priority }) => priority));
    const urgent = considered.filter(({ priority }) => priority === lowest);
    const numbered = urgent.filter(({ id }) => /^\d+$/.test(id));
    if (numbered.length > 0) {
      const first = Math.min(...numbered.map(({ id }) => Number(id)));
      return numbered.find(({ id }) => Number(id) === first);
    }
    const oldest = Math.min(...urgent.map(({ createdAtMs }) => createdAtMs));
    const oldestOnes = urgent.filter(({ createdAtMs }) => createdAtMs === oldest);
    return oldestOnes.toSorted((one, other) => (one.id < other.id ? -1 : 1))[0];
  }
});
