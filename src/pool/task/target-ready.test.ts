import { expect, it } from "vitest";
import { busyTarget } from "./target-ready.ts";

it("a target that cannot be updated is a problem for a person, with both ways out", () => {
  const problem = busyTarget("No task was started: main cannot be updated", {
    folder: "/p",
    why: "It has uncommitted changes.",
  });
  expect(problem).toMatchObject({ kind: "write-failed", file: "/p", needsPerson: true });
  expect(problem.message).toContain("because it is checked out in /p. It has uncommitted changes.");
  expect(problem.message).toContain("`saga auto --update-checkout`");
});
