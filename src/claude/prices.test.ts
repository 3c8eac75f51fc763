import { expect, it } from "vitest";
import type { Usage } from "../agent/agent.ts";
import { priceOf } from "./prices.ts";

const used = (model: string, change: Partial<Usage> = {}): Usage => ({
  answerId: "m",
  model,
  inputTokens: 1_000_000,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  outputTokens: 1_000_000,
  characters: 0,
  ...change,
});

it.each([
  ["claude-opus-5-5", 24],
  ["claude-opus-5-5[1m]", 24],
  ["opus", 24],
  ["claude-opus-5", 30],
  ["claude-opus-4-5-20251101", 30],
  ["us.anthropic.claude-opus-4-1-20250805-v1:0", 90],
  ["claude-opus-4-20250514", 90],
  ["claude-sonnet-5", 12],
  ["claude-sonnet-4-5-20250929", 18],
  ["claude-haiku-4-5", 6],
  ["claude-fable-5-1", 60],
])("a million tokens into %s and out of it cost %d dollars", (model, dollars) => {
  expect(priceOf(used(model))).toBeCloseTo(dollars, 9);
});

it("a model that is not known costs what Claude Code assumes", () => {
  expect(priceOf(used("someone-elses"))).toBeCloseTo(30, 9);
});

it("cache reads are cheaper, cache writes more expensive, those for an hour most", () => {
  const input = (change: Partial<Usage>): number =>
    priceOf(used("claude-opus-5", { outputTokens: 0, ...change }));
  expect(input({ cacheReadTokens: 1_000_000 })).toBeCloseTo(0.5, 9);
  expect(input({ cacheWriteTokens: 1_000_000 })).toBeCloseTo(6.25, 9);
  const hour = { cacheWriteTokens: 1_000_000, cacheWriteHourTokens: 1_000_000 };
  expect(input(hour)).toBeCloseTo(10, 9);
});

it("a long prompt costs more where the family has such a price", () => {
  const tokens = { outputTokens: 0, inputTokens: 100_000 };
  expect(priceOf(used("claude-haiku-5-5", tokens))).toBeCloseTo(0.01, 9);
  expect(priceOf(used("claude-haiku-5-5", { ...tokens, inputTokens: 100_001 }))).toBeCloseTo(
    0.05,
    5,
  );
});
