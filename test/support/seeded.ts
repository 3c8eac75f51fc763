// Repeatable randomness. `npm test` always draws the same; `npm run torture` draws new numbers and prints its seed,
// which `SAGA_SEED` repeats.

import { isTorture } from "./kill-places.ts";

export interface Chance {
  readonly seed: number;
  readonly below: (limit: number) => number;
}

/** The seed of this run. */
export const runSeed = (): number =>
  Number(process.env["SAGA_SEED"] ?? (isTorture ? Date.now() % 1_000_000 : 1));

export function seeded(seed = runSeed()): Chance {
  process.stdout.write(`SAGA_SEED=${seed}\n`);
  const next = mulberry32(seed);
  return { seed, below: (limit) => next() % limit };
}

/** Numbers between 0 and 1. */
export function numbers(seed: number): () => number {
  const next = mulberry32(seed);
  return () => next() / 2 ** 32;
}

/** 32-bit integers from a small generator; spreads well enough for tests. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
