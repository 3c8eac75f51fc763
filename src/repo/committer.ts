// In whose name Saga commits: the user's, and its own where git knows none.

import type { Environment } from "../machine/processes/environment.ts";
import type { Git } from "../machine/programs/git.ts";

const OWN: Environment = {
  GIT_AUTHOR_NAME: "Saga",
  GIT_AUTHOR_EMAIL: "saga@localhost",
  GIT_COMMITTER_NAME: "Saga",
  GIT_COMMITTER_EMAIL: "saga@localhost",
};

/** A call that makes a commit, with its message as input; `env` may name another author. */
export async function askAsCommitter(
  git: Git,
  args: readonly string[],
  input: string,
  env: Environment = {},
): Promise<string> {
  const made = await git.attempt(args, { input, env });
  if (made.isOk) return made.stdout;
  // Asked only now, because nearly everyone has a name.
  const hasName = (await git.attempt(["var", "GIT_COMMITTER_IDENT"])).isOk;
  return git.ask(args, { input, env: hasName ? env : { ...OWN, ...env } });
}

/** For a call that wants to know who commits, and makes no commit itself. */
export const committerFor = async (git: Git): Promise<Environment> =>
  (await git.attempt(["var", "GIT_COMMITTER_IDENT"])).isOk ? {} : OWN;

/** One line, whatever it was: a second one could pass for a trailer. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
