// Chance that can be had again: a test that failed says its seed, and `SAGA_SEED` repeats it.

export interface Chance {
  readonly seed: number;
  /** A whole number from 0, below this. */
  readonly below: (limit: number) => number;
}

/** Another one in every run. */
export function seeded(seed = Number(process.env["SAGA_SEED"] ?? Date.now() % 1_000_000)): Chance {
  process.stdout.write(`SAGA_SEED=${seed}\n`);
  const next = mulberry32(seed);
  return { seed, below: (limit) => next() % limit };
}

/** The same numbers between 0 and 1 in every run: a sample that does not change. */
export function numbers(seed: number): () => number {
  const next = mulberry32(seed);
  return () => next() / 2 ** 32;
}

/** Whole numbers of 32 bits. Small, and good enough to spread. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
