// Stages everything in a worktree.

import type { Environment } from "../machine/processes/environment.ts";
import { fileComplaints } from "../machine/programs/git-failure.ts";
import { gitError, type Git } from "../machine/programs/git.ts";
import { ownGitDir } from "../machine/programs/head.ts";

/**
 * Stages changed, deleted and new files, also outside of a sparse checkout. Below the excluded paths (literal paths, not
 * patterns) only tracked files are staged, because provisioned files must never be committed.
 *
 * Returns git's error for files that could not be added, such as an unreadable file or a nested repository without a
 * commit. The other files are added all the same.
 */
export async function addAll(
  git: Git,
  exclude: readonly string[],
  env: Environment = {},
): Promise<string | undefined> {
  if (exclude.length === 0) return add(git, ["--all"], env);
  // An agent may have staged them by name.
  await git.ask(["reset", "--quiet", "--", ...exclude.map((path) => `:(top,literal)${path}`)], {
    env,
  });
  const ignored = await ignoredBy(git, exclude, env);
  const excluded = exclude
    .filter((path) => !ignored.has(path))
    .map((path) => `:(top,exclude,literal)${path}`);
  if (excluded.length === 0) return add(git, ["--all"], env);
  const addError = [
    await add(git, ["--update", "--", ":(top)"], env),
    await add(git, ["--all", "--", ":(top)", ...excluded], env),
  ];
  return addError.find((complaint) => complaint !== undefined);
}

/** Paths that git ignores anyway. Git fails if such a path is named, even as an exclusion. */
async function ignoredBy(
  git: Git,
  paths: readonly string[],
  env: Environment,
): Promise<ReadonlySet<string>> {
  const top =
    ownGitDir(git) === undefined ? await git.ask(["rev-parse", "--show-toplevel"]) : git.folder;
  const input = paths.map((path) => `${path}\0`).join("");
  const args = ["check-ignore", "-z", "--stdin"];
  const { stdout } = await git.at(top).attempt(args, { input, env });
  return new Set(stdout.split("\0"));
}

async function add(
  git: Git,
  args: readonly string[],
  env: Environment,
): Promise<string | undefined> {
  const added = await git.attempt(["add", "--sparse", "--ignore-errors", ...args], { env });
  if (added.isOk) return undefined;
  const complaints = fileComplaints(added.stderr);
  if (complaints) return complaints.join("; ");
  throw gitError(`git add failed in ${git.folder}: ${added.stderr}`);
}
