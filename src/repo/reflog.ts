// Reads a worktree's reflog, for a branch that was deleted.

import { join } from "node:path";
import { readTextIfThere } from "../machine/files/files.ts";
import type { Git } from "../machine/programs/git.ts";
import { commitOf } from "./refs.ts";

/** The last commit that was checked out in the worktree, if the log has one. */
export async function lastCommitIn(git: Git, gitDir: string): Promise<string | undefined> {
  const lines = (readTextIfThere(join(gitDir, "logs", "HEAD")) ?? "").trim().split("\n");
  for (const line of lines.toReversed()) {
    const commit = /^[0-9a-f]+ (?<commit>[0-9a-f]+) /.exec(line)?.groups?.["commit"];
    // Zeros: the branch was deleted at that moment.
    if (commit === undefined || /^0+$/.test(commit)) continue;
    return commitOf(git, commit);
  }
  return undefined;
}
