// Commits made from a tree and parents, without a worktree or an index. The same parts make the same
// commit: whoever repeats a delivery that was killed arrives at the commit that was verified.

import type { Environment } from "../machine/processes/environment.ts";
import type { Git } from "../machine/programs/git.ts";
import { askAsCommitter } from "./committer.ts";

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Seconds since 1970. No clock: it is taken from what the commit is made of. */
  readonly committedAt: number;
  /** Nothing when it is Saga's own. */
  readonly author?: Author | undefined;
}

export interface Author {
  readonly name: string;
  readonly email: string;
  /** In git's own form: seconds, and the zone. */
  readonly date: string;
}

export function writeCommit(
  git: Git,
  { tree, parents, message, committedAt, author }: NewCommit,
): Promise<string> {
  const date = `@${committedAt} +0000`;
  const by: Environment = author
    ? {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: `@${author.date}`,
      }
    : { GIT_AUTHOR_DATE: date };
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  return askAsCommitter(git, args, message, { ...by, GIT_COMMITTER_DATE: date });
}

/** The latest of them: a commit is never older than its parents. */
export async function lastCommittedAt(git: Git, commits: readonly string[]): Promise<number> {
  const times = await git.ask(
    ["rev-list", "--no-walk", "--no-commit-header", "--format=%ct"].concat(commits, "--"),
  );
  return Math.max(...times.split("\n").map(Number));
}
