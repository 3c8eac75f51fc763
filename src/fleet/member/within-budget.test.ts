import { expect, it } from "vitest";
import { askBudget } from "./within-budget.ts";

it.each([
  [undefined, { running: 5, usualUsd: 2 }, { kind: "start", leftUsd: undefined }],
  [
    { budgetUsd: 5, spentUsd: 2 },
    { running: 0, usualUsd: 0 },
    { kind: "start", leftUsd: 3 },
  ],
  [
    { budgetUsd: 5, spentUsd: 1 },
    { running: 1, usualUsd: 2 },
    { kind: "start", leftUsd: 4 },
  ],
  [
    { budgetUsd: 5, spentUsd: 4 },
    { running: 0, usualUsd: 2 },
    { kind: "start", leftUsd: 1 },
  ],
  [{ budgetUsd: 5, spentUsd: 4 }, { running: 1, usualUsd: 2 }, { kind: "later" }],
  [
    { budgetUsd: 5, spentUsd: 5.1 },
    { running: 0, usualUsd: 0 },
    { kind: "spent", budgetUsd: 5 },
  ],
] as const)("with %j and %j: %j", (budget, running, answer) => {
  expect(askBudget(budget, running)).toEqual(answer);
});
