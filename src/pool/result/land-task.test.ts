import { expect, it } from "vitest";
import { hasMark } from "./land-task.ts";

it("a task's work lands only while its file has the mark of the run that did it", () => {
  expect(hasMark({ metadata: { saga: { run: "r1", attempts: 2 } } }, "r1")).toBe(true);
  expect(hasMark({ metadata: { saga: { run: "r2" } } }, "r1")).toBe(false);
});

it.each([[undefined], [{}], [{ saga: null }], [{ saga: "r1" }], [{ run: "r1" }]])(
  "a task without a mark (%j) is not this worker's any more",
  (metadata) => {
    expect(hasMark({ metadata }, "r1")).toBe(false);
  },
);
