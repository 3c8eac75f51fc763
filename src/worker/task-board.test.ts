import { describe, expect, it } from "vitest";
import { aTask } from "../../test/support/project.ts";
import { taskSchema } from "../story/definition/task.ts";
import { newBoard } from "./task-board.ts";

/** `b` and `c` come after `a`, `d` after both. */
const diamond = () =>
  newBoard(
    [
      aTask("a", { status: "completed" }),
      aTask("b", { blockedBy: ["a"], guidance: "Slowly." }),
      aTask("c", { blockedBy: ["a"], status: "in_progress" }),
      aTask("d", { blockedBy: ["b", "c"] }),
    ].map((task) => taskSchema.parse(task)),
  );

const ids = (tasks: readonly { id: string }[]): string[] => tasks.map(({ id }) => id);

describe("the board", () => {
  it("has the story's tasks in their order, and no others", () => {
    const board = diamond();
    expect(ids(board.tasks())).toEqual(["a", "b", "c", "d"]);
    expect(board.task("b")?.guidance).toBe("Slowly.");
    expect([board.status("a"), board.status("c")]).toEqual(["completed", "in_progress"]);
    expect([board.task("12"), board.status("12")]).toEqual([undefined, undefined]);
  });

  it("knows which tasks remain, and when none do", () => {
    const board = diamond();
    expect(ids(board.remaining())).toEqual(["b", "c", "d"]);
    for (const id of ["b", "c", "d"]) {
      expect(board.isDone()).toBe(false);
      board.change(id, "completed");
    }
    expect([board.remaining(), board.isDone()]).toEqual([[], true]);
  });

  it("knows what a task waits for: its uncompleted dependencies", () => {
    const board = diamond();
    expect(["a", "b", "c", "d", "12"].map(board.waitsFor)).toEqual([[], [], [], ["b", "c"], []]);
    board.change("c", "completed");
    expect(board.waitsFor("d")).toEqual(["b"]);
    board.change("b", "in_progress");
    expect(board.waitsFor("d")).toEqual(["b"]);
    board.change("b", "completed");
    expect(board.waitsFor("d")).toEqual([]);
  });

  it("changes nothing but the status of a task", () => {
    const board = diamond();
    const before = board.task("b");
    board.change("b", "completed");
    expect(board.task("b")).toEqual({ ...before, status: "completed" });
    expect(before?.status).toBe("pending");
  });

  it("ignores tasks that the story does not have", () => {
    const board = diamond();
    board.change("12", "completed");
    expect(ids(board.tasks())).toEqual(["a", "b", "c", "d"]);
  });

  it("is done when it has no tasks", () => {
    expect(newBoard([]).isDone()).toBe(true);
  });

  it("replaces its tasks when one of them was split", () => {
    const board = diamond();
    board.replace(
      [aTask("a"), aTask("e", { blockedBy: ["a"] })].map((one) => taskSchema.parse(one)),
    );
    expect(ids(board.tasks())).toEqual(["a", "e"]);
    expect(board.waitsFor("e")).toEqual(["a"]);
    expect(board.task("d")).toBeUndefined();
  });
});
