// What the fixture's server answers about costs, and to a search.

import type { Costs, SearchAnswer } from "../../../src/dashboard/protocol/details.ts";
import type { SpendingRow } from "../../../src/story/money/spending.ts";
import { before } from "./moment.ts";

const row = (name: string, costUsd: number, runs: number): SpendingRow => ({
  name,
  costUsd,
  runs,
  isEstimate: false,
});

export const COSTS: Costs = {
  by: {
    day: [row("2026-11-16", 9.74, 6), row("2026-11-15", 4.12, 3), row("2026-11-13", 0.92, 1)],
    epic: [row("checkout", 7.17, 5), row("accounts", 4.87, 4), row("(no epic)", 2.74, 1)],
    story: [
      row("checkout--payment", 3.02, 2),
      row("accounts--sign-in", 2.76, 2),
      row("auto-1", 1.62, 1),
    ],
    model: [row("claude-opus-5", 11.9, 7), row("claude-sonnet-5", 2.88, 4)],
  },
  total: { costUsd: 14.78, runs: 10, isEstimate: true },
  today: { budgetUsd: 20, spentUsd: 9.74, reservedUsd: 4.5, running: 2 },
  epicBudgetUsd: 50,
};

const HITS: SearchAnswer["hits"] = [
  {
    kind: "journal",
    story: "checkout--payment",
    at: before(60),
    title: "decision: Amounts are integers in cents",
    text: "Floating point lost a cent in 3 of the 10 example orders.",
  },
  {
    kind: "log",
    story: "checkout--payment",
    run: "20261116-142500-abcd",
    at: before(55),
    title: "Log",
    text: "Bash npm test: floating point in total.test.ts",
  },
];

export const foundIn = (query: string): SearchAnswer => ({
  hits: HITS.filter(({ text }) => text.toLowerCase().includes(query.toLowerCase())),
  isCut: false,
});
