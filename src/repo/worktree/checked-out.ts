// Finds the checkout that has a branch checked out. Moving that branch would leave the checkout's files and
// index behind.

import { join } from "node:path";
import { readTextIfThere } from "../../machine/files/files.ts";
import type { Repository } from "../repository.ts";
import { listWorktrees } from "./list-worktrees.ts";

/** The folder may be on a disk that is not mounted. Undefined when no checkout has the branch. */
export async function checkoutOf(
  repository: Repository,
  branch: string,
): Promise<string | undefined> {
  const worktrees = await listWorktrees(repository);
  return worktrees.find(
    (one) => one.branch === branch || isSuspended(one.gitDir ?? repository.commonDir, branch),
  )?.folder;
}

/** A rebase or bisect detaches HEAD and returns to the branch at its end. */
function isSuspended(gitDir: string, branch: string): boolean {
  const names = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];
  return names.some((name) => {
    const text = readTextIfThere(join(gitDir, name))?.trim();
    return text === branch || text === `refs/heads/${branch}`;
  });
}
