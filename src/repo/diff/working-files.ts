// What differs from the last commit in a worktree, and what is new, in one look of git at all of it.

import type { Git } from "../../machine/programs/git.ts";

export interface WorkingFiles {
  /** Changed and deleted files, staged or not. */
  readonly changed: readonly string[];
  /** Those of the changed files that are in conflict. */
  readonly conflicts: readonly string[];
  /** What git neither knows nor ignores. A path that ends with a slash is a nested repository. */
  readonly untracked: readonly string[];
}

/** Without what is below the excluded paths, which are literal. */
export async function readWorkingFiles(
  git: Git,
  exclude: readonly string[] = [],
): Promise<WorkingFiles> {
  const excluded = exclude.map((path) => `:(top,exclude,literal)${path}`);
  const paths = exclude.length === 0 ? [] : ["--", ":(top)", ...excluded];
  const listed = ["status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=all"];
  // Read only: without this, `git status` writes the index.
  const env = { GIT_OPTIONAL_LOCKS: "0" };
  return parseStatus(await git.ask([...listed, ...paths], { env }));
}

/** The output of `git status --porcelain=v2 -z --no-renames`. */
export function parseStatus(output: string): WorkingFiles {
  const entries = output.split("\0");
  const pathsAfter = (start: RegExp): string[] =>
    entries.flatMap((entry) => (start.test(entry) ? [entry.replace(start, "")] : []));
  const conflicts = pathsAfter(CONFLICT);
  return { changed: [...pathsAfter(CHANGED), ...conflicts], conflicts, untracked: pathsAfter(NEW) };
}

/** What comes before the path. */
const CHANGED = /^1 (?:\S+ ){7}/;
const CONFLICT = /^u (?:\S+ ){9}/;
const NEW = /^\? /;

/**
 * Whether all files are as committed: nothing is staged, changed or new. Files that are hidden from git do not count
 * (`snapshots/hidden-files.ts`).
 */
export async function isUnchanged(git: Git): Promise<boolean> {
  const options = ["--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=none"];
  const { isOk, stdout } = await git.attempt(["status", ...options], {
    env: { GIT_OPTIONAL_LOCKS: "0" },
  });
  return isOk && stdout === "";
}
