// The name that Saga commits under: the user's, or its own if git has none configured.

import type { Environment } from "../machine/processes/environment.ts";
import type { Git } from "../machine/programs/git.ts";

const OWN: Environment = {
  GIT_AUTHOR_NAME: "Saga",
  GIT_AUTHOR_EMAIL: "saga@localhost",
  GIT_COMMITTER_NAME: "Saga",
  GIT_COMMITTER_EMAIL: "saga@localhost",
};

/** Runs a git command that writes a commit, with its message as input. `env` may name another author. */
export async function askAsCommitter(
  git: Git,
  args: readonly string[],
  input: string,
  env: Environment = {},
): Promise<string> {
  const made = await git.attempt(args, { input, env });
  if (made.isOk) return made.stdout;
  // Checked only after a failure, because nearly everyone has a name configured.
  const hasName = (await git.attempt(["var", "GIT_COMMITTER_IDENT"])).isOk;
  return git.ask(args, { input, env: hasName ? env : { ...OWN, ...env } });
}

/** The environment for a command that needs a committer but writes no commit. */
export const committerFor = async (git: Git): Promise<Environment> =>
  (await git.attempt(["var", "GIT_COMMITTER_IDENT"])).isOk ? {} : OWN;
