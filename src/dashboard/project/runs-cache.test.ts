import { expect, it } from "vitest";
import type { RunEvent } from "../../story/state/run.ts";
import { lastActionIn } from "./runs-cache.ts";

const at = "2026-01-01T00:00:00.000Z";
const warning = (message: string): RunEvent => ({ type: "warning", at, message });
const silent: RunEvent = { type: "task.passed", at, task: "form" };

it("a card shows the newest event that people read", () => {
  expect(lastActionIn([])).toBeUndefined();
  expect(lastActionIn([warning("One."), warning("Two."), silent])?.text).toContain("Two.");
});

it("a card gets the start of the first line only: it is always sent whole", () => {
  const { text = "" } = lastActionIn([warning(`${"x".repeat(1000)}\nmore`)]) ?? {};
  expect(text).toHaveLength(301);
  expect(text).toMatch(/x…$/);
});
