import { expect, it } from "vitest";
import { askingStep } from "./epic-checkout.ts";

const undecided = { allowed: undefined, mustAskFirst: false, isTerminal: true };

it("a person at a terminal is asked before their checkout is updated", () => {
  expect(askingStep({ isUpdatable: true }, undecided)).toBe("ask");
});

it.each([
  ["they have decided for it", { isUpdatable: true }, { ...undecided, allowed: true }],
  ["they have decided against it", { isUpdatable: true }, { ...undecided, allowed: false }],
  ["it could not be updated anyway", { isUpdatable: false }, undecided],
  ["there is no terminal", { isUpdatable: true }, { ...undecided, isTerminal: false }],
])("they are not asked if %s", (_, busy, asking) => {
  expect(askingStep(busy, asking)).toBe("go-on");
});

it("the page gets the question back, since it must ask itself", () => {
  const fromPage = { ...undecided, mustAskFirst: true, isTerminal: false };
  expect(askingStep({ isUpdatable: true }, fromPage)).toBe("refuse");
  expect(askingStep({ isUpdatable: true }, { ...fromPage, allowed: false })).toBe("go-on");
});
