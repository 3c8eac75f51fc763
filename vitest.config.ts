import { configDefaults, defineConfig } from "vitest/config";
import { leftOut } from "./test/support/share.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...leftOut()],
    reporters: ["default", ["json", { outputFile: "coverage/results.json" }]],
    // End-to-end tests start real programs, on two cores, beside each other, and wait for most of their time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/**/*.test.ts", "src/types.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: { lines: 80, functions: 80, branches: 80, statements: 80 },
    },
  },
});
