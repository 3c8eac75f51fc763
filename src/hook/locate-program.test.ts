import { mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder, type Project } from "../../test/support/project.ts";
import { locateProgram } from "./locate-program.ts";

const PROGRAM = "dist/cli/main.cjs";

/** What a build leaves, with a count of how often it ran. */
const BUILD = `
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
mkdirSync("dist/cli", { recursive: true });
writeFileSync("${PROGRAM}", "");
writeFileSync("dist/THIRD-PARTY.txt", "");
appendFileSync("builds.txt", "built\\n");
`;

function newClone(): Project {
  const clone = newFolder("marketplace");
  clone.write("scripts/build.mjs", BUILD);
  clone.write(".git/logs/HEAD", "cloned\n");
  const past = new Date(Date.now() - 60_000);
  utimesSync(join(clone.path, ".git/logs/HEAD"), past, past);
  return clone;
}

it("uses the program beside the plugin", () => {
  const marketplace = newFolder("marketplace");
  marketplace.write(PROGRAM, "");
  expect(locateProgram(join(marketplace.path, "plugin"), {})).toBe(join(marketplace.path, PROGRAM));
});

it("finds the marketplace that a copy of the plugin came from", () => {
  const marketplace = newFolder("marketplace");
  marketplace.write(PROGRAM, "");
  const config = newFolder("config");
  const known = { "saga-run": { installLocation: marketplace.path } };
  config.write("plugins/known_marketplaces.json", JSON.stringify(known));
  const copy = join(config.path, "plugins/cache/saga-run/saga/0.1.0");
  const env = { CLAUDE_CONFIG_DIR: config.path };
  expect(locateProgram(copy, env)).toBe(join(marketplace.path, PROGRAM));
});

it("builds a clone once, and again after an update", () => {
  const clone = newClone();
  const plugin = join(clone.path, "plugin");
  expect(locateProgram(plugin, {})).toBe(join(clone.path, PROGRAM));
  locateProgram(plugin, {});
  expect(clone.read("builds.txt")).toBe("built\n");
  const future = new Date(Date.now() + 60_000);
  utimesSync(join(clone.path, ".git/logs/HEAD"), future, future);
  locateProgram(plugin, {});
  expect(clone.read("builds.txt")).toBe("built\nbuilt\n");
});

it("takes over the lock of a build that was killed", () => {
  const clone = newClone();
  // A process number that Linux never gives.
  clone.write(".git/saga-build.lock", "4194305");
  expect(locateProgram(join(clone.path, "plugin"), {})).toBe(join(clone.path, PROGRAM));
});

it("says how to see why a build failed", () => {
  const clone = newClone();
  clone.write("scripts/build.mjs", "process.exit(1);");
  expect(() => locateProgram(join(clone.path, "plugin"), {})).toThrow("run build");
});

it("finds no program if the marketplace does not exist", () => {
  const folder = newFolder("gone");
  rmSync(folder.path, { recursive: true });
  mkdirSync(folder.path);
  const env = { CLAUDE_CONFIG_DIR: folder.path };
  expect(locateProgram(join(folder.path, "plugin"), env)).toBeUndefined();
});
