import { expect, it } from "vitest";
import { isOverdrawn, newDrain } from "./drain.ts";

it("tells the agent once why it has to end, and counts its last calls", () => {
  const drain = newDrain();
  expect([drain.note(), drain.called(), drain.state()]).toEqual([undefined, false, undefined]);
  drain.start("The budget is spent.", true);
  drain.start("Cost limit reached.", false);
  expect(drain.state()).toEqual({ reason: "The budget is spent.", isShared: true });
  expect(drain.note()).toMatch(/^The budget is spent\. Start nothing new\..* at most 10 more tool/);
  expect(drain.note()).toBeUndefined();
  const calls = Array.from({ length: 10 }, drain.called);
  expect(calls.indexOf(true)).toBe(9);
});

it("allows a tenth of the limit for an orderly end", () => {
  expect([5, 5.49, 5.5].map((spent) => isOverdrawn(5, spent))).toEqual([false, false, true]);
});
