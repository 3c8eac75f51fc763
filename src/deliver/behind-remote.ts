import type { Repository } from "../repo/repository.ts";
import { checkoutOf } from "../repo/worktree/checked-out.ts";
import { commitOf, isAncestor } from "../repo/refs.ts";
import type { Target } from "../repo/delivery/target.ts";

/** The command that updates the branch here after a merge at the remote; undefined when it is up to date. */
export async function behindRemote(
  repository: Repository,
  { branch, place }: Target,
): Promise<string | undefined> {
  const { git, remote } = repository;
  if (place !== "remote" || remote === undefined) return undefined;
  const here = await commitOf(git, `refs/heads/${branch}`);
  const there = await commitOf(git, `refs/remotes/${remote.name}/${branch}`);
  if (here === undefined || there === undefined || (await isAncestor(git, there, here))) {
    return undefined;
  }
  const folder = await checkoutOf(repository, branch);
  if (folder === undefined) return `git fetch ${remote.name} ${branch}:${branch}`;
  return folder === repository.project ? "git pull" : `git -C ${folder} pull`;
}
