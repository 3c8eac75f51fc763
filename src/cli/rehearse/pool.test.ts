import { expect, it } from "vitest";
import { EXIT, type ExitCode } from "../../story/state/exit-codes.ts";
import { painter } from "../output/terminal.ts";
import { rehearsalResult } from "./pool.ts";

const paint = painter(false);
const rehearsed = (more: object, exitCode: ExitCode = EXIT.done) =>
  rehearsalResult({
    json: { ended: "done", completed: ["1"], failed: [], held: [], ...more },
    text: () => "",
    exitCode,
  });

it("a rehearsal passes when every task that could start is merged", () => {
  const result = rehearsed({});
  expect(result.exitCode).toBe(EXIT.done);
  expect(result.text(paint)).toMatch(/^Rehearsal passed/);
});

it("tasks that were on hold before do not fail it, and an empty list passes too", () => {
  expect(rehearsed({}, EXIT.question).exitCode).toBe(EXIT.done);
  expect(rehearsed({ completed: [] }).text(paint)).toMatch(/^Nothing to rehearse/);
});

it.each([
  ["a task fails", { failed: ["2"] }],
  ["a task needs a person", { held: ["2"] }],
  ["the pool stops", { ended: "failed" }],
])("a rehearsal fails if %s, even if the pool itself ended well", (_, more) => {
  const result = rehearsed(more);
  expect(result.exitCode).toBe(EXIT.error);
  expect(result.text(paint)).toMatch(/^Rehearsal failed/);
  expect(rehearsed(more, EXIT.limit).exitCode).toBe(EXIT.limit);
});
