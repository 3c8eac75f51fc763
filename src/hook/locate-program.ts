// Where the plugin finds the `saga` program: in the marketplace it was installed from, which is this package or a
// clone of its repository. A clone is built once, and again after each update.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../machine/processes/environment.ts";

const MARKETPLACE = "saga-run";
const PROGRAM = "dist/cli/main.cjs";
/** The build writes it last. */
const BUILT = "dist/THIRD-PARTY.txt";

/** Undefined if the marketplace does not exist, or has neither a build nor a build script. */
export function locateProgram(pluginRoot: string, env: Environment): string | undefined {
  const folder = marketplaceFolders(pluginRoot, env).find(
    (one) => existsSync(join(one, PROGRAM)) || canBuild(one),
  );
  if (folder === undefined) return undefined;
  if (needsBuild(folder)) build(folder);
  return join(folder, PROGRAM);
}

/** A local marketplace contains the plugin; of a repository, Claude Code copies the plugin elsewhere. */
function marketplaceFolders(pluginRoot: string, env: Environment): string[] {
  const config = env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude");
  const known = installLocation(join(config, "plugins/known_marketplaces.json"));
  return [dirname(pluginRoot), ...(known === undefined ? [] : [known])];
}

function installLocation(file: string): string | undefined {
  try {
    const known = JSON.parse(readFileSync(file, "utf8")) as Record<
      string,
      { installLocation?: string } | undefined
    >;
    return known[MARKETPLACE]?.installLocation;
  } catch {
    return undefined;
  }
}

const canBuild = (folder: string): boolean => existsSync(join(folder, "scripts/build.mjs"));

/** Every pull adds a line to the log of HEAD. A package has no such log. */
const needsBuild = (folder: string): boolean =>
  canBuild(folder) && modified(join(folder, BUILT)) < modified(join(folder, ".git/logs/HEAD"), 1);

const modified = (file: string, otherwise = 0): number =>
  statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? otherwise;

function build(folder: string): void {
  const lock = join(folder, ".git/saga-build.lock");
  while (!takeLock(lock)) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    if (!needsBuild(folder)) return;
  }
  try {
    process.stderr.write("Building Saga in its marketplace. This takes about a minute, once.\n");
    const { status } = spawnSync(process.execPath, [join(folder, "scripts/build.mjs")], {
      cwd: folder,
      stdio: ["ignore", 2, 2],
    });
    if (status !== 0)
      throw new Error(`The build failed. Run it to see why: npm --prefix ${folder} run build`);
  } finally {
    rmSync(lock, { force: true });
  }
}

/** The lock names its process: it is stale if that process has ended. */
function takeLock(lock: string): boolean {
  try {
    const file = openSync(lock, "wx");
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  if (!isHeld(lock)) rmSync(lock, { force: true });
  return false;
}

function isHeld(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    // Just created, not written yet.
    if (pid === 0) return true;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
