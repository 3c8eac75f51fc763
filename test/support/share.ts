// What `npm test` leaves to `npm run test:all` and `npm run torture`: always the same tests and kill places.

/** The share of the places to kill at. */
const PLACE_PARTS = 12;
/** The share of the long tests. */
const TEST_PARTS = 5;

const isAll = process.env["SAGA_TORTURE"] === "full";

export const shareOf = <T>(all: readonly T[]): T[] => (isAll ? [...all] : partOf(all, PLACE_PARTS));

/** The time limit of a test that kills at its share of places. */
export const timeForShare = (ms: number): number => (isAll ? ms * PLACE_PARTS : ms);

/** Each takes half a minute or more on two cores. Someone who names a test has it run. */
const LONG_TESTS = [
  "bad-agents",
  "claude-trouble",
  "cut-off",
  "deliver",
  "epic-remote",
  "full-disk-run",
  "gate-trouble",
  "github",
  "one-answer",
  "overseer",
  "overseer-repairs",
  "own-gate",
  "packed",
  "plugin-hooks",
  "plugin-scope",
  "plugin-skills",
  "pool-agents",
  "pool-control",
  "pool-killed",
  "pool-mishaps",
  "recover",
  "sandbox",
  "sent-back",
  "sessions",
  "split",
  "split-by-hand",
  "starting-states",
  "stopped-checks",
].map((name) => `test/end-to-end/${name}.test.ts`);

/** What this time is another commit's. */
export function leftOut(): string[] {
  if (isAll || process.env["SAGA_SHARE"] === undefined) return [];
  const own = new Set(partOf(LONG_TESTS, TEST_PARTS));
  return LONG_TESTS.filter((test) => !own.has(test));
}

/** Every n-th, and at least one. */
const partOf = <T>(all: readonly T[], parts: number): T[] =>
  all.filter((_, at) => at % Math.max(1, Math.min(parts, all.length)) === 0);
