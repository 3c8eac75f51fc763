// Keeps a member's checkout in step with the remote's base, where the fleet's stories are defined: the same as
// `git pull --ff-only`. It never merges, and never touches changed files.

import { gitFailure } from "../../machine/programs/git-failure.ts";
import { headRef } from "../../machine/programs/head.ts";
import { fetchRefs, findBase, reasonIn, type Base, type Repository } from "../repository.ts";
import { commitOf, relationOf } from "../refs.ts";

export interface FollowedBase extends Base {
  /** Why the checkout is not at the remote's commit, as a sentence. */
  readonly behind: string | undefined;
  /** False if the remote could not be asked: what is here may be old. */
  readonly isCurrent: boolean;
  /** The remote's commit: what other machines read. The checkout may have more. */
  readonly shared: string | undefined;
}

export async function followBase(
  repository: Repository,
  setting: string | undefined,
  stop?: AbortSignal,
): Promise<FollowedBase> {
  const { git, remote } = repository;
  const { branch } = await findBase(repository, setting, stop);
  const remoteName = remote?.name ?? "";
  const tracking = `refs/remotes/${remoteName}/${branch}`;
  const refspecs = [`+refs/heads/${branch}:${tracking}`];
  let fetched = await fetchRefs(git, remoteName, refspecs, stop);
  // Another process of this machine may be writing the same ref.
  if (gitFailure(fetched) === "locked") fetched = await fetchRefs(git, remoteName, refspecs, stop);
  const behind = fetched.isOk
    ? await fastForward(repository, { branch, tracking })
    : `${branch} could not be fetched from ${remoteName}: ${reasonIn(fetched.stderr)}`;
  const base = await findBase(repository, setting, stop);
  return { ...base, behind, isCurrent: fetched.isOk, shared: await commitOf(git, tracking) };
}

async function fastForward(
  { git, project }: Repository,
  { branch, tracking }: { readonly branch: string; readonly tracking: string },
): Promise<string | undefined> {
  const [head, theirs] = [await commitOf(git, "HEAD"), await commitOf(git, tracking)];
  if (head === undefined || theirs === undefined || head === theirs) return undefined;
  if ((await headRef(git)) !== `refs/heads/${branch}`) {
    return `${project} is not on ${branch}, so new stories there are not visible here.`;
  }
  if ((await relationOf(git, head, theirs)) !== "behind") return undefined;
  const flags = ["--quiet", "--ff-only", "--no-stat", "--no-autostash", "--no-overwrite-ignore"];
  const merged = await git.attempt(["merge", ...flags, theirs]);
  if (merged.isOk) return undefined;
  return `${project} could not be brought up to date with ${branch}: ${reasonIn(merged.stderr)}`;
}
