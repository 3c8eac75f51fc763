import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { root } from "./support/programs.ts";

interface LockedPackage {
  readonly engines?: { readonly node?: string };
}

it("installs with `npm ci`, on every platform", async () => {
  const folder = await mkdtemp(join(tmpdir(), "saga-lock-file-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
    await copyFile(join(root, name), join(folder, name));
  }
  // A dry run compares the two files and fetches nothing; a package of any platform that is missing fails it.
  const args = [
    "ci",
    "--dry-run",
    "--offline",
    "--cache",
    join(folder, "cache"),
    "--loglevel=error",
  ];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: folder });
  expect(stdout).toMatch(/added \d+ packages/);
});

/**
 * These declare Node 22 and run on Node 20: the build bundles them, and the suite runs there. Secretlint's last version
 * for 20 misses Stripe, Cloudflare and Tailscale keys.
 */
const RUNS_ON_NODE_20 = [
  "node_modules/@secretlint/secretlint-rule-preset-recommend",
  "node_modules/@secretlint/types",
  "node_modules/pg-boss",
];

it("asks for no newer Node than we promise", async () => {
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  const newer = Object.entries(lock.packages)
    .filter(([, { engines }]) => engines?.node !== undefined && !accepts20(engines.node))
    .map(([path]) => path);
  expect(newer).toEqual(RUNS_ON_NODE_20);
});

/** True when one alternative of the range starts at 20.19 or below. */
function accepts20(range: string): boolean {
  return range.split("||").some((part) => {
    const [, major = "0", minor = "0"] = /(\d+)(?:\.(\d+))?/.exec(part) ?? [];
    const isUpperBoundOnly = part.trim().startsWith("<");
    return isUpperBoundOnly || Number(major) < 20 || (major === "20" && Number(minor) <= 19);
  });
}
