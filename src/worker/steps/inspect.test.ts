import { expect, it } from "vitest";
import { inspection } from "./inspect.ts";

const run = (hasTimedOut: boolean) =>
  ({ end: { outcome: { kind: "ended" } }, hasTimedOut }) as Parameters<typeof inspection>[2];

it("a verdict becomes a receipt with its findings under the inspector's rule", () => {
  const verdict = {
    isPassed: false,
    summary: "One button does nothing.",
    findings: [{ message: "Save does nothing.", file: "src/form.ts" }],
  };
  expect(inspection("test", verdict, run(false))).toEqual({
    isPassed: false,
    how: "One button does nothing.",
    findings: [{ rule: "test", message: "Save does nothing.", file: "src/form.ts" }],
  });
});

it("an inspector without a verdict has not passed the work, and the receipt says why", () => {
  expect(inspection("review", undefined, run(true))).toMatchObject({
    isPassed: false,
    how: "no verdict in time",
    findings: [],
  });
  expect(inspection("review", undefined, run(false)).how).toBe("it ended without a verdict");
});
