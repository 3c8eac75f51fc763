// Prices of Claude's models, to estimate the cost while an agent works: public list prices in US dollars per
// million tokens, as of November 2026. They need not be exact: Claude Code's bill replaces the estimate and
// calibrates the next one (cost.ts).

import type { Usage } from "../agent/agent.ts";

interface Price {
  readonly input: number;
  readonly output: number;
  /** As a fraction of the input price. */
  readonly cacheRead: number;
  /** Prompts with more than `above` tokens cost `times` as much. */
  readonly long?: { readonly above: number; readonly times: number };
}

/** By family, newest version first. A version has the price of the first entry that is not newer. */
const PRICES: Readonly<Record<string, readonly (Price & { readonly from: number })[]>> = {
  fable: [
    { from: 5.1, input: 10, output: 50, cacheRead: 0.025 },
    { from: 0, input: 10, output: 50, cacheRead: 0.1 },
  ],
  mythos: [
    { from: 5.1, input: 10, output: 50, cacheRead: 0.025 },
    { from: 0, input: 10, output: 50, cacheRead: 0.1 },
  ],
  opus: [
    { from: 5.5, input: 4, output: 20, cacheRead: 0.05 },
    { from: 4.5, input: 5, output: 25, cacheRead: 0.1 },
    { from: 0, input: 15, output: 75, cacheRead: 0.1 },
  ],
  sonnet: [
    { from: 5.5, input: 2, output: 10, cacheRead: 0.05 },
    { from: 5, input: 2, output: 10, cacheRead: 0.1 },
    { from: 0, input: 3, output: 15, cacheRead: 0.1 },
  ],
  haiku: [
    { from: 5.5, input: 0.1, output: 0.5, cacheRead: 0.1, long: { above: 100_000, times: 5 } },
    { from: 0, input: 1, output: 5, cacheRead: 0.1 },
  ],
};

/** For other models: what Claude Code assumes for a model it does not know. */
const FALLBACK: Price = { input: 5, output: 25, cacheRead: 0.1 };

/** As a multiple of the input price, by how long the cache keeps it. */
const CACHE_WRITE = { fiveMinutes: 1.25, hour: 2 };

/** In US dollars. */
export function priceOf(usage: Usage): number {
  const price = priceOfModel(usage.model);
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens } = usage;
  const plain = inputTokens - cacheReadTokens - cacheWriteTokens;
  const input =
    plain +
    cacheReadTokens * price.cacheRead +
    (cacheWriteTokens - cacheWriteHourTokens) * CACHE_WRITE.fiveMinutes +
    cacheWriteHourTokens * CACHE_WRITE.hour;
  const isLong = price.long !== undefined && inputTokens > price.long.above;
  const sum = input * price.input + usage.outputTokens * price.output;
  return (sum * (isLong ? (price.long?.times ?? 1) : 1)) / 1_000_000;
}

const MODEL =
  /(?<family>fable|mythos|opus|sonnet|haiku)(?:-(?<major>\d)(?:-(?<minor>\d)(?!\d))?(?!\d))?/;

/** A name without a version, such as `opus`, means the newest. */
function priceOfModel(model: string): Price {
  const { family = "", major, minor } = MODEL.exec(model)?.groups ?? {};
  const version = major === undefined ? Infinity : Number(`${major}.${minor ?? 0}`);
  return PRICES[family]?.find(({ from }) => version >= from) ?? FALLBACK;
}
