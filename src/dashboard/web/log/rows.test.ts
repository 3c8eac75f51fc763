import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../story/state/run.ts";
import { addEvents, noRows, withKilledEnd } from "./rows.ts";

const at = "2026-11-16T10:00:00.000Z";
const called: RunEvent = { at, type: "tool.called", id: "t1", tool: "Bash", about: "npm test" };
const answered = (isError: boolean): RunEvent => ({
  at,
  type: "tool.answered",
  id: "t1",
  tool: "Bash",
  isError,
  ms: 1200,
  about: "1 failed",
});

describe("the rows of a log", () => {
  it("combine a tool call and its answer, even if they arrive separately", () => {
    const first = addEvents(noRows(), [called]);
    expect(first.rows).toMatchObject([{ kind: "tools", head: "Bash", text: "npm test" }]);
    const { rows, open } = addEvents(first, [answered(false)]);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.answer).toEqual({ text: "1 failed", isError: false, ms: 1200 });
    expect(open.size).toBe(0);
    expect(first.rows[0]?.answer).toBeUndefined();
  });

  it("count a failed tool as a problem", () => {
    const { rows } = addEvents(noRows(), [called, answered(true)]);
    expect(rows[0]).toMatchObject({ kind: "problems", tone: "bad" });
  });

  it("show an answer without its call as a row", () => {
    expect(addEvents(noRows(), [answered(true)]).rows).toMatchObject([{ head: "error" }]);
  });

  it("know their kind", () => {
    const kinds = addEvents(noRows(), [
      { at, type: "agent.said", text: "Hello" },
      { at, type: "task.changed", task: "a", to: "completed" },
      { at, type: "gate", gate: "diff", isPassed: false, findings: [], ms: 1, tree: "" },
      { at, type: "warning", message: "Careful" },
      { at, type: "step.done", step: "worktree", ms: 1, about: "" },
      { at, type: "something.new" },
    ]).rows.map(({ kind }) => kind);
    expect(kinds).toEqual(["says", "tasks", "gates", "problems", "steps", "steps"]);
  });

  it("end where the worker was killed", () => {
    const { rows } = addEvents(noRows(), [called]);
    expect(withKilledEnd(rows, "2026-11-16T09:00:00.000Z").at(-1)).toMatchObject({
      number: 1,
      at,
      kind: "problems",
      head: "killed",
    });
    expect(withKilledEnd([], at)).toMatchObject([{ at, head: "killed" }]);
  });

  it("contain no terminal control sequences", () => {
    const text = "\u001B]0;title\u0007\u001B[31mred\u001B[0m\u0000 \u202Eand\u009B2J plain\ttext";
    const { rows } = addEvents(noRows(), [{ at, type: "agent.said", text }]);
    expect(rows[0]?.text).toBe("red and plain\ttext");
  });
});
