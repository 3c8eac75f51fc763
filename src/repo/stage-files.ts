// Everything in a worktree into an index.

import { SagaError } from "../errors.ts";
import type { Environment } from "../machine/processes/environment.ts";
import type { Git } from "../machine/programs/git.ts";

/**
 * All that is changed, deleted and new. Below the excluded paths, which are names and no patterns,
 * only what git knows already: what was put there for this worktree alone is never taken in.
 *
 * Answers what could not be added, in git's words: a file that may not be read, or a repository
 * inside that has no commit yet. The rest is added all the same, also where the user checks out only
 * some folders and this is another.
 */
export async function addAll(
  git: Git,
  exclude: readonly string[],
  env: Environment = {},
): Promise<string | undefined> {
  if (exclude.length === 0) return add(git, ["--all"], env);
  // Someone may have staged them by name.
  await git.ask(["reset", "--quiet", "--", ...exclude.map((path) => `:(top,literal)${path}`)], {
    env,
  });
  const ignored = await ignoredBy(git, exclude, env);
  const without = exclude
    .filter((path) => !ignored.has(path))
    .map((path) => `:(top,exclude,literal)${path}`);
  const addError = [
    await add(git, ["--update", "--", ":(top)"], env),
    await add(git, ["--all", "--", ":(top)", ...without], env),
  ];
  return addError.find((complaint) => complaint !== undefined);
}

/** What git leaves out by itself. To name such a path, even as an exception, is an error to it. */
async function ignoredBy(
  git: Git,
  paths: readonly string[],
  env: Environment,
): Promise<ReadonlySet<string>> {
  const top = (await git.ask(["rev-parse", "--show-toplevel"])).replace(/\n$/, "");
  const input = paths.map((path) => `${path}\0`).join("");
  const asked = ["check-ignore", "-z", "--stdin"];
  const { stdout } = await git.at(top).attempt(asked, { input, env });
  return new Set(stdout.split("\0"));
}

async function add(
  git: Git,
  what: readonly string[],
  env: Environment,
): Promise<string | undefined> {
  const added = await git.attempt(["add", "--sparse", "--ignore-errors", ...what], { env });
  if (added.isOk) return undefined;
  const complaints = added.stderr.split("\n").filter((line) => line.startsWith("error: "));
  const isOnlyThat = complaints.length > 0 && !/^fatal: /m.test(added.stderr);
  if (isOnlyThat) return complaints.map((line) => line.slice("error: ".length)).join("; ");
  throw new SagaError("program-failed", `git add failed in ${git.folder}: ${added.stderr}`, {
    hint: "Nothing was lost. Put right what git says, and run the command again.",
  });
}
