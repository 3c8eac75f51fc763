import { describe, expect, it } from "vitest";
import { poolTask as task } from "../../test/support/claude-list.ts";
import { numbers } from "../../test/support/seeded.ts";
import { findCycles } from "../story/definition/graph.ts";
import { newTaskBoard, type TaskBoard } from "./board.ts";
import type { PoolProblem } from "./problem.ts";
import { bySelection } from "./select.ts";
import type { PoolTask } from "./task.ts";

type Entry = PoolTask | PoolProblem | undefined;

const done = (id: string): PoolTask => task(id, { status: "completed" });
const broken = (id: string): PoolProblem => ({
  kind: "invalid-json",
  file: `/list/${id}.json`,
  taskId: id,
  message: "It is not JSON.",
});

function boardWith(...entries: (PoolTask | PoolProblem)[]): TaskBoard {
  const board = newTaskBoard((id) => `/list/${id}.json`);
  for (const entry of entries) board.put("kind" in entry ? (entry.taskId ?? "") : entry.id, entry);
  return board;
}
const eligible = (board: TaskBoard): string[] => board.eligible().map(({ id }) => id);

const held = { saga: { held: { kind: "blocker", why: "w", at: "2026-01-01T00:00:00Z" } } };

describe("a task can be started", () => {
  it("when it is pending, without owner, not held, and all its blockers are completed", () => {
    const board = boardWith(
      task("1", { status: "in_progress" }),
      task("2", { owner: "alice" }),
      task("3", { metadata: held }),
      task("4", { blockedBy: ["1"] }),
      done("5"),
      task("6", { blockedBy: ["5"] }),
      task("7"),
    );
    expect(eligible(board)).toEqual(["6", "7"]);
    expect(board.counts()).toEqual({
      eligible: 2,
      waiting: 1,
      held: 1,
      inProgress: 2,
      completed: 1,
      broken: 0,
    });
    expect(board.inProgress().map(({ id }) => id)).toEqual(["1", "2"]);
    expect(board.waitsFor("4")).toEqual(["1"]);
    expect(board.problems()).toEqual([]);
  });

  it("in the order of selection, whenever it was added", () => {
    const board = boardWith(
      task("10"),
      task("x"),
      task("9"),
      task("20", { metadata: { priority: 0 } }),
    );
    expect(eligible(board)).toEqual(["20", "9", "10", "x"]);
    board.put("9", task("9", { metadata: { priority: 4 } }));
    expect(eligible(board)).toEqual(["20", "10", "x", "9"]);
  });

  it("as soon as all its blockers are completed, not only one of two", () => {
    const board = boardWith(task("1"), task("2"), task("3", { blockedBy: ["1", "2"] }));
    board.put("1", done("1"));
    expect(eligible(board)).toEqual(["2"]);
    board.put("2", done("2"));
    expect(eligible(board)).toEqual(["3"]);
    board.put("1", task("1"));
    expect(eligible(board)).toEqual(["1"]);
  });

  it("when no open task names it in `blocks`", () => {
    const board = boardWith(task("30", { blocks: ["31", "gone"] }), task("31"));
    expect([eligible(board), board.waitsFor("31"), board.problems()]).toEqual([["30"], ["30"], []]);
    board.put("30", done("30"));
    expect(eligible(board)).toEqual(["31"]);
    board.put("30", task("30"));
    expect(eligible(board)).toEqual(["30", "31"]);
    board.put("30", task("30", { blocks: ["31"] }));
    board.put("30", undefined);
    expect(eligible(board)).toEqual(["31"]);
  });
});

describe("a problem of a list", () => {
  it("is a task that waits for a missing one, until that one is added", () => {
    const board = boardWith(task("1", { blockedBy: ["8", "9"] }));
    expect(board.problems()).toEqual([
      {
        kind: "missing-dependency",
        file: "/list/1.json",
        taskId: "1",
        message: "Task 1 waits for 8, 9, which do not exist.",
      },
    ]);
    expect(eligible(board)).toEqual([]);
    board.put("8", done("8"));
    expect(board.problems()).toMatchObject([
      { message: "Task 1 waits for 9, which does not exist." },
    ]);
    board.put("9", done("9"));
    expect([board.problems(), eligible(board)]).toEqual([[], ["1"]]);
    board.put("9", undefined);
    expect(board.problems()).toHaveLength(1);
  });

  it("is a file that is not a task, but not the tasks that wait for it", () => {
    const board = boardWith(broken("1"), task("2", { blockedBy: ["1"] }));
    expect(board.problems()).toEqual([broken("1")]);
    expect([eligible(board), board.counts().broken]).toEqual([[], 1]);
    board.put("1", done("1"));
    expect([board.problems(), eligible(board)]).toEqual([[], ["2"]]);
  });

  it("is a cycle, with all its tasks, until one of them is changed", () => {
    const board = boardWith(
      task("1", { blockedBy: ["3"] }),
      task("2", { blockedBy: ["1"] }),
      task("3", { blockedBy: ["2"] }),
      task("4", { blockedBy: ["3"] }),
    );
    expect(board.problems()).toEqual([
      {
        kind: "cycle",
        file: "/list/1.json",
        taskId: "1",
        message: "Tasks wait for each other in a cycle: 1 → 3 → 2 → 1.",
      },
    ]);
    board.put("1", task("1"));
    expect([board.problems(), eligible(board)]).toEqual([[], ["1"]]);
  });

  it("is a task that waits for itself", () => {
    expect(boardWith(task("1", { blockedBy: ["1"] })).problems()).toMatchObject([
      { kind: "cycle", message: "Tasks wait for each other in a cycle: 1 → 1." },
    ]);
  });

  it("is a cycle of `blocks`, or of `blocks` and `blockedBy`", () => {
    const message = "Tasks wait for each other in a cycle: 30 → 31 → 30.";
    const board = boardWith(task("30", { blocks: ["31"] }), task("31", { blocks: ["30"] }));
    expect(board.problems()).toMatchObject([{ kind: "cycle", message }]);
    expect(eligible(board)).toEqual([]);
    board.put("31", task("31"));
    expect([board.problems(), eligible(board)]).toEqual([[], ["30"]]);
    board.put("30", task("30", { blocks: ["31"], blockedBy: ["31"] }));
    expect(board.problems()).toMatchObject([{ kind: "cycle", message }]);
  });

  it("is not a dependency of a completed task", () => {
    const board = boardWith(
      task("1", { status: "completed", blockedBy: ["2", "gone"] }),
      task("2", { blockedBy: ["1"] }),
    );
    expect([board.problems(), eligible(board)]).toEqual([[], ["2"]]);
  });
});

describe("any sequence of changes", () => {
  const random = numbers(19_700_101);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const ids = ["1", "2", "3", "10", "a", "b"];

  const anyEntry = (id: string): Entry => {
    if (random() < 0.1) return undefined;
    if (random() < 0.1) return broken(id);
    return task(id, {
      status: pick(["pending", "pending", "in_progress", "completed"]),
      ...(random() < 0.1 && { owner: "alice" }),
      blockedBy: ids.filter(() => random() < 0.15),
      blocks: ids.filter(() => random() < 0.1),
      metadata: {
        priority: Math.floor(random() * 5),
        ...(random() < 0.1 && held),
      },
    });
  };

  it("gives the same result as reading everything again", () => {
    for (let round = 0; round < 300; round++) {
      const board = newTaskBoard((id) => `/list/${id}.json`);
      const entries = new Map<string, Entry>();
      for (let look = 0; look < 12; look++) {
        // Several changes between two questions: none may be missed.
        for (let step = 0; step < 1 + Math.floor(random() * 3); step++) {
          const id = pick(ids);
          const entry = anyEntry(id);
          board.put(id, entry);
          entries.set(id, entry);
        }
        expect(seenOn(board)).toEqual(judged(entries));
      }
    }
  });

  function seenOn(board: TaskBoard): unknown {
    const problems = board.problems();
    const idsWith = (kind: PoolProblem["kind"]): string[] =>
      problems.flatMap((one) => (one.kind === kind ? [one.taskId ?? ""] : [])).toSorted();
    const { eligible, waiting, held, inProgress, completed, broken } = board.counts();
    return {
      eligible: [...board.eligible()],
      missing: idsWith("missing-dependency"),
      broken: idsWith("invalid-json"),
      circles: idsWith("cycle").length,
      completed,
      all: eligible + waiting + held + inProgress + completed + broken,
    };
  }

  function judged(entries: ReadonlyMap<string, Entry>): unknown {
    const known = [...entries.values()].filter((entry) => entry !== undefined);
    const tasks = known.filter((entry): entry is PoolTask => !("kind" in entry));
    const open = tasks.filter(({ status }) => status !== "completed");
    const isDone = (id: string): boolean =>
      tasks.some((one) => one.id === id && one.status === "completed");
    const isThere = (id: string): boolean => entries.get(id) !== undefined;
    const blockersOf = ({ id, blockedBy }: PoolTask): string[] => [
      ...blockedBy,
      ...tasks.flatMap((one) => (one.blocks.includes(id) ? one.id : [])),
    ];
    const ready = open.filter(
      (one) => one.status === "pending" && !one.owner && !one.held && blockersOf(one).every(isDone),
    );
    const links = open.map((one) => ({ id: one.id, blockedBy: blockersOf(one), isDone: false }));
    return {
      eligible: ready.toSorted(bySelection),
      missing: open
        .filter(({ blockedBy }) => !blockedBy.every(isThere))
        .map(({ id }) => id)
        .toSorted(),
      broken: known.flatMap((one) => ("kind" in one ? [one.taskId ?? ""] : [])).toSorted(),
      circles: findCycles(links).length,
      completed: tasks.length - open.length,
      all: known.length,
    };
  }
});
