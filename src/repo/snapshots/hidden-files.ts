// Files that are hidden from git by `--assume-unchanged` or `--skip-worktree`: git takes them for unchanged.
// People hide files that they never want to commit. Before a file could be lost, it is looked at all the same.

import { join } from "node:path";
import type { Environment } from "../../machine/processes/environment.ts";
import type { Git } from "../../machine/programs/git.ts";
import { entryAt } from "../lstat.ts";

/** Clears the flags of existing hidden files in a temporary index. Returns whether there are any. */
export async function unhideFiles(
  git: Git,
  env: Environment & { readonly GIT_INDEX_FILE: string },
): Promise<boolean> {
  const names = await hiddenFiles(git, env);
  if (names.length === 0) return false;
  const input = names.map((name) => `${name}\0`).join("");
  for (const flag of ["--no-assume-unchanged", "--no-skip-worktree"]) {
    await git.ask(["update-index", flag, "-z", "--stdin"], { env, input });
  }
  return true;
}

/** Those that exist. */
export async function hiddenFiles(git: Git, env: Environment = {}): Promise<string[]> {
  const names = hiddenIn(await git.ask(["ls-files", "-v", "-z"], { env }));
  return names.filter((name) => entryAt(join(git.folder, name)) !== undefined);
}

/** A lower-case letter: assume-unchanged. `S`: skip-worktree, which a sparse checkout sets too. */
export const hiddenIn = (listed: string): string[] =>
  listed
    .split("\0")
    .filter((entry) => /^[a-zS] /.test(entry))
    .map((entry) => entry.slice(2));
