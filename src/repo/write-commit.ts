// Writes a commit from a tree and parents, without a worktree or an index. The same parts give the same commit, so a
// repeated delivery arrives at the commit that was verified before the kill.

import type { Environment } from "../machine/processes/environment.ts";
import { gitError, type Git } from "../machine/programs/git.ts";
import { readObjects } from "../machine/programs/object-reader.ts";
import { askAsCommitter } from "./committer.ts";

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Seconds since 1970, derived from the parents instead of the clock. */
  readonly committedAt: number;
  /** Undefined for Saga's own commits. */
  readonly author?: Author | undefined;
}

export interface Author {
  readonly name: string;
  readonly email: string;
  /** In git's raw format: seconds and time zone. */
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

/** The latest date of these commits, so that a commit is never older than its parents. */
export async function lastCommittedAt(git: Git, commits: readonly string[]): Promise<number> {
  const read = await readObjects(git, commits);
  const times = read.map((commit) => committedAtIn(commit?.content.toString("latin1") ?? ""));
  if (times.every((time) => time !== undefined)) return Math.max(...times);
  throw gitError(`git cannot read ${commits.join(", ")} in ${git.folder}.`);
}

/** Undefined for an object that is not a commit. The headers come before the first empty line. */
export function committedAtIn(text: string): number | undefined {
  const [headers = ""] = text.split("\n\n", 1);
  const time = /^committer .*> (?<seconds>\d+) [+-]\d+$/m.exec(headers)?.groups?.["seconds"];
  return time === undefined ? undefined : Number(time);
}
