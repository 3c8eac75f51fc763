// Which checkout a branch belongs to. Moving it there would leave the files and the index behind.

import { join } from "node:path";
import { readTextIfThere } from "../../machine/files/files.ts";
import type { Repository } from "../repository.ts";
import { listWorktrees } from "./list-worktrees.ts";

/** Its folder, which may be on a disk that is not mounted; nothing when the branch is free. */
export async function checkoutOf(
  repository: Repository,
  branch: string,
): Promise<string | undefined> {
  const worktrees = await listWorktrees(repository);
  return worktrees.find(
    (one) => one.branch === branch || isPutAside(one.gitDir ?? repository.commonDir, branch),
  )?.folder;
}

/** During a rebase or a bisection no branch is checked out, and the end of it goes back to one. */
function isPutAside(gitDir: string, branch: string): boolean {
  const names = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];
  return names.some((name) => {
    const text = readTextIfThere(join(gitDir, name))?.trim();
    return text === branch || text === `refs/heads/${branch}`;
  });
}
