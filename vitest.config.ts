import { existsSync, statfsSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";
import { isTorture } from "./test/support/kill-places.ts";
import { longTests } from "./test/support/long-tests.ts";
import { LongestFirst } from "./test/support/longest-first.ts";

/** A minute is a lot on an idle machine, and little on a busy one. `npm run torture` kills at every place. */
const TIMEOUT_MS = isTorture ? 60 * 60_000 : 120_000;

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...longTests()],
    reporters: ["default", ["json", { outputFile: "coverage/results.json" }]],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    // Shorter than a test may take, so that the failure says what it waited for.
    expect: { poll: { timeout: 90_000, interval: 20 } },
    // End-to-end tests start real programs, on two cores, beside each other, and wait for most of their time. With
    // three at once the cores were idle for a fifteenth of it.
    maxWorkers: 4,
    // Modules are loaded once per worker instead of once per file: no test leaves state in one.
    isolate: false,
    // The server is not started until a test asks for it.
    globalSetup: ["test/support/run-postgres.ts", "test/support/compiled-folder.ts"],
    sequence: { sequencer: LongestFirst },
    env: temporaryFolder(),
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/**/*.test.ts", "src/types.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: { lines: 80, functions: 80, branches: 80, statements: 80 },
    },
  },
});

/** Throw-away projects are kept in memory where that is large enough: a third less system time than on a disk. */
function temporaryFolder(): { TMPDIR?: string } {
  const memory = "/dev/shm";
  if (process.platform !== "linux" || !existsSync(memory)) return {};
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 4 * 2 ** 30 ? { TMPDIR: memory } : {};
}
