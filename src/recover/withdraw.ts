// Closes a story's pull request, and deletes its branch on the remote, where the next run would find it and continue
// with it. An unreachable forge or remote does not stop the discard: what is left there is reported.

import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import type { Forge } from "../machine/forge/forge.ts";
import { canPush, openForge } from "../repo/open-forge.ts";
import { deleteRemoteBranch, forgetRemoteBranch } from "../repo/remote-branch.ts";
import type { FenceOwner } from "../repo/sharing/lease-ref.ts";
import { discardAtRemote } from "../repo/sharing/leftovers.ts";
import type { Discard } from "../repo/sharing/shared-discard.ts";
import type { Situation } from "../repo/worktree/situation.ts";

type ForgeContext = Pick<Context, "repository" | "settings" | "env" | "now">;

export interface WithdrawResult {
  readonly pullRequest: string | undefined;
  /** What could not be removed, in sentences. */
  readonly left: readonly string[];
}

export interface SharedDiscard {
  readonly owner: FenceOwner;
  readonly discard: Discard;
}

/**
 * `shared`: in a fleet. There the remote has to take the discard, or the other machines would continue with the work: it
 * throws if that fails.
 */
export async function withdraw(
  context: ForgeContext,
  situation: Situation,
  shared: SharedDiscard | undefined,
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
  if (shared !== undefined) await discardAtRemote({ ...shared, repository, saved: theirs });
  if (theirs === undefined || repository.remote === undefined) return { pullRequest, left };
  const known = { branch, commit: theirs };
  if (shared !== undefined) await forgetRemoteBranch(repository, known);
  else {
    const isOurs = forge !== undefined && canPush(repository, settings, forge);
    const why = isOurs ? await deleteRemoteBranch(repository, known) : "Saga does not push here";
    if (why !== undefined) left.push(stillExists(repository.remote.name, branch, why));
  }
  return { pullRequest, left };
}

const stillExists = (remote: string, branch: string, why: string): string =>
  `${remote} still has ${branch} (${why}), and the next run would continue from it. Delete it: \`git push ${remote} --delete ${branch}\`.`;
