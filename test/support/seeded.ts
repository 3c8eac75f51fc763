// Chance that can be had again: a test that failed says its seed, and `SAGA_SEED` repeats it.

export interface Chance {
  readonly seed: number;
  /** A whole number from 0, below this. */
  readonly below: (limit: number) => number;
}

export function seeded(seed = Number(process.env["SAGA_SEED"] ?? Date.now() % 1_000_000)): Chance {
  process.stdout.write(`SAGA_SEED=${seed}\n`);
  let state = seed >>> 0;
  return {
    seed,
    below(limit) {
      // Mulberry32: small, and good enough to spread.
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
    },
  };
}

/** The same from 0 to 1 each time: for tests whose cases are a sample that does not change. */
export function sampled(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
