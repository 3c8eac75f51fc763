// `npm test`: what must hold before a change lands, from a fresh clone; the same tests every time.
// `npm run test:all` adds the longest ones (test/support/long-tests.ts), and fails if they cover too little of the sources;
// a test that is named always runs.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { browser, root, setUp } from "./setup.mjs";

// Elsewhere Claude Code's sandbox is part of the system.
const sandbox = process.platform === "linux" ? /** @type {const} */ (["bwrap", "socat"]) : [];
setUp({ programs: ["git", "tmux", "gh", browser, ...sandbox] });

const words = process.argv.slice(2);
const isAll = words[0] === "--all";
const named = isAll ? words.slice(1) : words;
const without = isAll || named.length > 0 ? {} : { SAGA_WITHOUT_LONG_TESTS: "1" };

const bin = (/** @type {string} */ name) => join(root, "node_modules", ".bin", name);
const results = join(root, "coverage", "results.json");
rmSync(results, { force: true });

// What has not changed since the last run is not checked again: that took a third of the checks' time.
const known = (/** @type {string} */ name) => join(root, "node_modules", ".cache", "checks", name);
const typeCheck = (/** @type {string} */ project, /** @type {string} */ file) => [
  "--noEmit",
  "--project",
  project,
  "--incremental",
  "--tsBuildInfoFile",
  known(file),
];

/** @typedef {[name: string, program: string, args: string[]]} Step */
/** @type {Step[]} */
const checks = [
  ["format", bin("oxfmt"), ["--check"]],
  ["lint", bin("oxlint"), ["--type-aware", "--deny-warnings"]],
  ["types", bin("tsc"), typeCheck("tsconfig.json", "types")],
  // Again without the browser's types: the first check would allow `window` on the server.
  ["types without a browser", bin("tsc"), typeCheck("tsconfig.server.json", "server-types")],
  ["unused", bin("knip"), ["--cache", "--cache-location", known("unused")]],
  ["package", bin("publint"), ["--strict"]],
];
/** @type {Step} */
const tests = [
  "tests",
  bin("vitest"),
  // Reading what was covered takes ten seconds at the end, in which nothing else runs.
  ["run", ...named, ...(isAll && named.length === 0 ? ["--coverage"] : [])],
];

/** @type {string[]} */
const failed = [];
// The tests wait for other programs now and then: the checks use that time.
await Promise.all([runInOrder(checks, "pipe"), runInOrder([tests], "inherit")]);

const { numPassedTests: passedTests, numFailedTests: failedTests } = readResults();
const otherSteps = checks.length;
const otherFailed = failed.filter((name) => name !== "tests").length;
// Failures outside of tests (coverage, a leak, a crash of the runner) count too.
const uncounted = failed.includes("tests") && failedTests === 0 ? 1 : 0;
if (failed.length > 0) console.log(`\nFailed: ${failed.join(", ")}`);
console.log(
  `\n${passedTests + otherSteps - otherFailed} passed, ${failedTests + otherFailed + uncounted} failed`,
);
process.exit(failed.length === 0 ? 0 : 1);

/**
 * Piped output is shown when a step ends, so that it is not mixed with that of the tests.
 * @param {Step[]} steps
 * @param {"pipe" | "inherit"} output
 */
async function runInOrder(steps, output) {
  for (const [name, program, args] of steps) {
    const started = performance.now();
    const child = spawn(program, args, {
      cwd: root,
      stdio: ["ignore", output, output],
      // Reading a bundle of certificates costs each Node process 50 ms, and no test leaves this machine.
      env: { ...process.env, ...without, NODE_EXTRA_CA_CERTS: undefined },
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => (text += String(chunk)));
    }
    /** @type {number | null} */
    const status = await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`\n── ${name}\n${text}   ${status === 0 ? "ok" : "FAILED"} in ${seconds} s`);
    if (status !== 0) failed.push(name);
  }
}

function readResults() {
  const nothing = { numPassedTests: 0, numFailedTests: 0 };
  if (!existsSync(results)) return nothing;
  return /** @type {typeof nothing} */ (JSON.parse(readFileSync(results, "utf8")));
}
