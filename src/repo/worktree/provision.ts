// Provisions a story's worktree: copies and symlinks chosen files of the project, and runs the set-up command
// once.

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
  /** The worktree's own git folder. */
  readonly gitDir: string;
  /** Literal paths relative to the top of the project, not patterns. */
  readonly copy: readonly string[];
  readonly link: readonly string[];
  readonly setup: string | undefined;
  readonly setupTimeoutMs: number;
  readonly env: Environment;
  /** Added to the environment of the set-up command, such as the mark of a run. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Ends the set-up command and throws the "stopped" error; the command then counts as not run. */
  readonly stop?: AbortSignal | undefined;
  /** Receives the output of the set-up command. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

/** What is provided for a worktree: it is never committed, and no snapshot has it. */
export const providedPaths = ({
  copy,
  link,
}: Pick<Settings["worktree"], "copy" | "link">): string[] => [...copy, ...link];

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

/** Never overwrites a file, and never writes outside the worktree. Returns warnings. */
export async function provision(request: ProvisionRequest): Promise<string[]> {
  const project = realpathSync.native(request.project);
  const worktree = realpathSync.native(request.worktree);
  const warnings: string[] = [];
  const pairs = (paths: readonly string[]): Pair[] =>
    paths.flatMap((path) => {
      const pair = pairOf(path, { project, worktree });
      if (pair === undefined)
        warnings.push(
          `${path} was not copied or linked to ${worktree}: the project does not have it.`,
        );
      return pair ?? [];
    });
  const copies = pairs(request.copy);
  const links = pairs(request.link);
  // A copy gets its final name when it is complete; a kill leaves the temporary one.
  const temporary = join(worktree, ".saga", ".provision.tmp");
  removeTree(temporary);
  for (const pair of copies) {
    if (await copyTo(pair, temporary)) continue;
    warnings.push(`${pair.source} was not copied: it is not a regular file or a folder.`);
  }
  for (const pair of links) linkTo(pair);
  recordLinks(request);
  await setUp(request, worktree);
  return warnings;
}

interface Pair {
  readonly source: string;
  readonly target: string;
}

/** Undefined when the project does not have the path. */
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
      `${JSON.stringify(path)} cannot be copied or linked into worktrees: it belongs to git or Saga, or leads out of the project.`,
      { hint: "Change `copy` or `link` under `[worktree]` in .saga/config.toml." },
    );
  }
  return isThere(source) ? { source, target } : undefined;
}

async function copyTo({ source, target }: Pair, temporary: string): Promise<boolean> {
  if (isThere(target)) return true;
  makeFolder(dirname(temporary));
  makeFolder(dirname(target));
  try {
    const isCopied = await copyTree(realpathSync.native(source), temporary);
    if (isCopied) renameSync(temporary, target);
    return isCopied;
  } catch (error) {
    throw diskError(error, target);
  }
}

/** A relative symlink survives moving the project. */
function linkTo({ source, target }: Pair): void {
  if (isThere(target)) return;
  makeFolder(dirname(target));
  try {
    symlinkSync(relative(realpathSync.native(dirname(target)), source), target);
  } catch (error) {
    throw diskError(error, target);
  }
}

/** A file in the worktree's git folder that lists the linked paths, for hook scripts, which do not read the settings. */
const LINKS = "saga-links";

function recordLinks({ gitDir, link }: ProvisionRequest): void {
  const file = join(gitDir, LINKS);
  const text = link.map((path) => `${path}\n`).join("");
  if ((readTextIfThere(file) ?? "") !== text) writeDurably(file, text);
}

const isThere = (path: string): boolean => entryAt(path) !== undefined;

/** A file in the worktree's git folder with the hash of the set-up command that succeeded. */
const SET_UP = "saga-setup";
/** The reason for a failure is at the end of the output. */
const TAIL_LENGTH = 2_000;

async function setUp(
  { setup, setupTimeoutMs, gitDir, env, variables, project, stop, onOutput }: ProvisionRequest,
  worktree: string,
): Promise<void> {
  if (setup === undefined) return;
  const marker = join(gitDir, SET_UP);
  const hash = createHash("sha256").update(setup).digest("hex");
  if (readTextIfThere(marker)?.trim() === hash) return;
  // A shell, because it is the user's own command line from the settings.
  const result = await runContained("sh", ["-c", setup], {
    stop,
    cwd: worktree,
    env: { ...plainEnvironment(env), SAGA_PROJECT_DIR: project, ...variables },
    timeoutMs: setupTimeoutMs,
  });
  // A stop also shows up as killed or timed out.
  if (stop?.aborted && result.kind !== "exited") throw stoppedError();
  const output = result.kind === "missing" ? "" : `${result.stdout}${result.stderr}`;
  onOutput?.(output);
  if (result.kind === "exited" && result.exitCode === 0) return writeDurably(marker, `${hash}\n`);
  const tail = output.trim().slice(-TAIL_LENGTH);
  throw new SagaError(
    "program-failed",
    `The worktree's set-up command ${ending(result, setupTimeoutMs)}: ${setup}${tail && `\n${tail}`}`,
    { hint: "Change `setup` under `[worktree]` in .saga/config.toml, or what it needs." },
  );
}

function ending(result: ProgramResult, timeoutMs: number): string {
  switch (result.kind) {
    case "exited":
      return `failed with exit code ${result.exitCode}`;
    case "killed":
      return `was killed by ${result.signal}`;
    case "timed-out":
      return `did not finish within ${timeoutMs / 1000} s`;
    case "missing":
      return "could not be started";
  }
}
