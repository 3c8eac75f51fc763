// Reads a worktree's reflog, for a branch that was deleted.

import { join } from "node:path";
import { readTextIfThere } from "../machine/files/files.ts";
import type { Git } from "../machine/programs/git.ts";
import { commitOf } from "./refs.ts";

/** The last commit that was checked out in the worktree, if the log has one. */
export async function lastCommitIn(git: Git, gitDir: string): Promise<string | undefined> {
  const commit = lastCommit(readTextIfThere(join(gitDir, "logs", "HEAD")) ?? "");
  return commit === undefined ? undefined : commitOf(git, commit);
}

/** Of a reflog. Zeros: the branch was deleted at that moment. */
export const lastCommit = (log: string): string | undefined =>
  log
    .split("\n")
    .map((line) => /^[0-9a-f]+ (?<commit>[0-9a-f]+) /.exec(line)?.groups?.["commit"])
    .findLast((commit) => commit !== undefined && !/^0+$/.test(commit));
