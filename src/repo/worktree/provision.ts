// What a story's worktree is given besides the files in git: copies of and links to chosen files of
// the project, and a set-up command that is run once. Its ports are in ports.ts.

import { createHash } from "node:crypto";
import { realpathSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { SagaError, stoppedError } from "../../errors.ts";
import { copyTree } from "../../machine/files/copy-tree.ts";
import { plainEnvironment, type Environment } from "../../machine/processes/environment.ts";
import {
  diskError,
  isInside,
  makeFolder,
  readTextIfThere,
  writeDurably,
} from "../../machine/files/files.ts";
import { removeTree } from "../../machine/files/remove-tree.ts";
import type { ProgramResult } from "../../machine/processes/run.ts";
import { runContained } from "../../machine/processes/run-contained.ts";
import type { Settings } from "../../story/settings/settings.ts";
import { entryAt } from "../lstat.ts";

export interface ProvisionRequest {
  readonly project: string;
  readonly worktree: string;
  /** Where git keeps what is this worktree's own. */
  readonly gitDir: string;
  /** Paths from the top of the project, as they are: no patterns. */
  readonly copy: readonly string[];
  readonly link: readonly string[];
  readonly setup: string | undefined;
  readonly setupTimeoutMs: number;
  readonly env: Environment;
  /** What the set-up command finds in its environment besides: the mark of a run. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Cut off by it, the set-up command has not been run: it throws that it was stopped. */
  readonly stop?: AbortSignal | undefined;
  /** Gets what the set-up command printed. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

/** What the settings give to it. */
export const provisionSettings = ({
  copy,
  link,
  setup,
  setupMinutes,
}: Settings["worktree"]): Pick<ProvisionRequest, "copy" | "link" | "setup" | "setupTimeoutMs"> => ({
  copy,
  link,
  setup,
  setupTimeoutMs: setupMinutes * 60_000,
});

/** Never writes over anything, and never outside. Answers with warnings. */
export async function provision(furnishing: ProvisionRequest): Promise<string[]> {
  const project = realpathSync.native(furnishing.project);
  const worktree = realpathSync.native(furnishing.worktree);
  const warnings: string[] = [];
  const pairs = (paths: readonly string[]): Pair[] =>
    paths.flatMap((path) => {
      const pair = pairOf(path, { project, worktree });
      if (pair === undefined)
        warnings.push(`There is no ${path} in the project to give to ${worktree}.`);
      return pair ?? [];
    });
  const copies = pairs(furnishing.copy);
  const links = pairs(furnishing.link);
  // A copy that was killed half-way never got its name.
  const aside = join(worktree, ".saga", ".furnish.tmp");
  removeTree(aside);
  for (const pair of copies) {
    if (await copyTo(pair, aside)) continue;
    warnings.push(`${pair.source} was not copied: it is not a regular file or a folder.`);
  }
  for (const pair of links) linkTo(pair);
  noteLinks(furnishing);
  await setUp(furnishing, worktree);
  return warnings;
}

interface Pair {
  readonly source: string;
  readonly target: string;
}

/** Nothing when there is nothing to give. */
function pairOf(
  path: string,
  { project, worktree }: { readonly project: string; readonly worktree: string },
): Pair | undefined {
  const parts = path.split("/").filter((part, at) => part !== "" || at === 0);
  const [first = ""] = parts;
  const isPlain = parts.every((part) => !["", ".", ".."].includes(part) && !part.includes("\0"));
  const isOwn =
    first.toLowerCase() === ".saga" || parts.some((part) => part.toLowerCase() === ".git");
  const source = join(project, ...parts);
  const target = join(worktree, ...parts);
  const isSafe =
    isPlain && !isOwn && isInside(project, source) && isInside(worktree, dirname(target));
  if (!isSafe) {
    throw new SagaError(
      "bad-setting",
      `${JSON.stringify(path)} cannot be given to worktrees: it is git's or Saga's own, or leads out of the project.`,
      { hint: "Change `copy` or `link` under `[worktree]` in .saga/config.toml." },
    );
  }
  return isThere(source) ? { source, target } : undefined;
}

async function copyTo({ source, target }: Pair, aside: string): Promise<boolean> {
  if (isThere(target)) return true;
  makeFolder(dirname(aside));
  makeFolder(dirname(target));
  try {
    const isCopied = await copyTree(realpathSync.native(source), aside);
    if (isCopied) renameSync(aside, target);
    return isCopied;
  } catch (error) {
    throw diskError(error, target);
  }
}

/** Relative, so that it still leads there when the project is moved. */
function linkTo({ source, target }: Pair): void {
  if (isThere(target)) return;
  makeFolder(dirname(target));
  try {
    symlinkSync(relative(realpathSync.native(dirname(target)), source), target);
  } catch (error) {
    throw diskError(error, target);
  }
}

/** In the worktree's git folder, for hook scripts, which do not read the settings: what may be read. */
const LINKS = "saga-links";

function noteLinks({ gitDir, link }: ProvisionRequest): void {
  const file = join(gitDir, LINKS);
  const text = link.map((path) => `${path}\n`).join("");
  if ((readTextIfThere(file) ?? "") !== text) writeDurably(file, text);
}

const isThere = (path: string): boolean => entryAt(path) !== undefined;

/** In the worktree's git folder: which command was run there to its good end. */
const SET_UP = "saga-setup";
/** The reason is at the end of what it printed. */
const TAIL_LENGTH = 2_000;

async function setUp(
  { setup, setupTimeoutMs, gitDir, env, variables, project, stop, onOutput }: ProvisionRequest,
  worktree: string,
): Promise<void> {
  if (setup === undefined) return;
  const marker = join(gitDir, SET_UP);
  const hash = createHash("sha256").update(setup).digest("hex");
  if (readTextIfThere(marker)?.trim() === hash) return;
  // A shell, because it is the user's own command line from the project's settings.
  const result = await runContained("sh", ["-c", setup], {
    stop,
    cwd: worktree,
    env: { ...plainEnvironment(env), SAGA_PROJECT_DIR: project, ...variables },
    timeoutMs: setupTimeoutMs,
  });
  // What it was ended by is not told apart from its time being up, and does not have to be.
  if (stop?.aborted && result.kind !== "exited") throw stoppedError();
  const output = result.kind === "missing" ? "" : `${result.stdout}${result.stderr}`;
  onOutput?.(output);
  if (result.kind === "exited" && result.exitCode === 0) return writeDurably(marker, `${hash}\n`);
  const tail = output.trim().slice(-TAIL_LENGTH);
  throw new SagaError(
    "program-failed",
    `The set-up command of the worktree ${ending(result, setupTimeoutMs)}: ${setup}${tail && `\n${tail}`}`,
    { hint: "Change `setup` under `[worktree]` in .saga/config.toml, or what it needs." },
  );
}

function ending(result: ProgramResult, timeoutMs: number): string {
  switch (result.kind) {
    case "exited":
      return `failed with exit code ${result.exitCode}`;
    case "killed":
      return `was ended by ${result.signal}`;
    case "timed-out":
      return `did not end within ${timeoutMs / 1000} s`;
    case "missing":
      return "could not be started";
  }
}
