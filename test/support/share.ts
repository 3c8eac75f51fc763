// More than fits beside the other tests: every place where something can be killed, and the end-to-end
// tests that take long. `npm test` takes a part of them, another one with each commit; `npm run torture`
// and `npm run test:all` leave nothing out.

import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** Of the places to be killed at. */
const PLACE_PARTS = 12;
/** Of the long tests. */
const TEST_PARTS = 5;

const isAll = process.env["SAGA_TORTURE"] === "full";

export const shareOf = <T>(all: readonly T[]): T[] => (isAll ? [...all] : partOf(all, PLACE_PARTS));

/** For a test that goes through its share of places: all of them take longer. */
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

function partOf<T>(all: readonly T[], parts: number): T[] {
  // Of a few there is one at least.
  const most = Math.max(1, Math.min(parts, all.length));
  const turn = commitCount() % most;
  return all.filter((_, at) => at % most === turn);
}

function commitCount(): number {
  try {
    const count = execFileSync("git", ["rev-list", "--count", "HEAD"], { cwd: root });
    return Number(count.toString());
  } catch {
    // A copy without its history.
    return 0;
  }
}
