// Closes a story's pull request, and deletes its branch on the remote, where the next run would find it and continue
// with it. An unreachable forge or remote does not stop the discard: what is left there is reported.

import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import type { Forge } from "../machine/forge/forge.ts";
import { canPush, openForge } from "../repo/open-forge.ts";
import { deleteRemoteBranch, forgetRemoteBranch } from "../repo/remote-branch.ts";
import { readStoryOwner, type FenceOwner } from "../repo/sharing/lease-ref.ts";
import { removeLeftovers } from "../repo/sharing/leftovers.ts";
import type { Situation } from "../repo/worktree/situation.ts";

type ForgeContext = Pick<Context, "repository" | "settings" | "env" | "now">;

export interface WithdrawResult {
  readonly pullRequest: string | undefined;
  /** What could not be removed, in sentences. */
  readonly left: readonly string[];
}

/** `owner`: in a fleet, this machine. Nothing is deleted if another one owns the story by now. */
export async function withdraw(
  context: ForgeContext,
  situation: Situation,
  owner: FenceOwner | undefined,
): Promise<WithdrawResult> {
  const { repository, settings } = context;
  const { branch, theirs } = situation;
  const left: string[] = [];
  let pullRequest: string | undefined;
  let forge: Forge | undefined;
  try {
    forge = openForge(repository, context);
    // On GitHub there is no pull request without a remote branch.
    const mayExist = forge.kind === "local" || theirs !== undefined;
    const found = mayExist ? await forge.find(branch) : undefined;
    const pull = found?.state === "open" ? await forge.close(found.number) : found;
    pullRequest = pull?.state === "closed" ? pull.ref : undefined;
  } catch (error) {
    left.push(`Cannot close the pull request: ${messageOf(error)}`);
  }
  if (theirs !== undefined && repository.remote !== undefined) {
    const isOurs = forge !== undefined && canPush(repository, settings, forge);
    const why = isOurs
      ? await deleteBranch(context, { branch, commit: theirs }, owner)
      : "Saga does not push here";
    if (why !== undefined) left.push(stillExists(repository.remote.name, branch, why));
  }
  return { pullRequest, left };
}

/** In a fleet together with the ref of its owner. Snapshots at the remote stay: they hold work that did not land. */
async function deleteBranch(
  { repository }: ForgeContext,
  known: { readonly branch: string; readonly commit: string },
  owner: FenceOwner | undefined,
): Promise<string | undefined> {
  if (owner === undefined) return deleteRemoteBranch(repository, known);
  const { storyId } = owner;
  const { commit: lease } = await readStoryOwner(repository, storyId);
  const leftovers = { branch: known.commit, lease, snapshots: [] };
  const { why } = await removeLeftovers({
    repository,
    storyId,
    owner,
    tip: undefined,
    leftovers,
  });
  if (why === undefined) await forgetRemoteBranch(repository, known);
  return why;
}

const stillExists = (remote: string, branch: string, why: string): string =>
  `${remote} still has ${branch} (${why}), and the next run would continue from it. Delete it: \`git push ${remote} --delete ${branch}\`.`;
