// What others see of a story's work is taken back: the pull request is closed, and the branch goes from
// the remote, where the next run would find it and go on with it. A forge or a remote that cannot be
// reached stops nothing: what is left there is said.

import type { Context } from "../context.ts";
import { messageOf } from "../errors.ts";
import type { Forge } from "../machine/forge/forge.ts";
import type { Repository } from "../repo/repository.ts";
import { canPush, openForge } from "../repo/open-forge.ts";
import { deleteRef } from "../repo/refs.ts";
import type { Situation } from "../repo/worktree/situation.ts";

type Around = Pick<Context, "repository" | "settings" | "env" | "now">;

export interface Withdrawn {
  readonly pullRequest: string | undefined;
  /** What is still there, in sentences. */
  readonly left: readonly string[];
}

const PUSH_TIMEOUT_MS = 120_000;

export async function withdraw(around: Around, situation: Situation): Promise<Withdrawn> {
  const { repository, settings } = around;
  const { branch, theirs } = situation;
  const left: string[] = [];
  let pullRequest: string | undefined;
  let forge: Forge | undefined;
  try {
    forge = openForge(repository, around);
    // On GitHub there is none without a branch there.
    const mayExist = forge.kind === "local" || theirs !== undefined;
    const found = mayExist ? await forge.find(branch) : undefined;
    const pull = found?.state === "open" ? await forge.close(found.number) : found;
    pullRequest = pull?.state === "closed" ? pull.ref : undefined;
  } catch (error) {
    left.push(`The pull request could not be closed: ${messageOf(error)}`);
  }
  if (theirs !== undefined && repository.remote !== undefined) {
    const isOurs = forge !== undefined && canPush(repository, settings, forge);
    const why = isOurs
      ? await removeThere(repository, { branch, theirs })
      : "Saga does not push here";
    if (why !== undefined) left.push(stillThere(repository.remote.name, branch, why));
  }
  return { pullRequest, left };
}

/** Only from where it is known to be: what someone else has put there stays. Why not, if not. */
async function removeThere(
  { git, remote }: Repository,
  { branch, theirs }: { readonly branch: string; readonly theirs: string },
): Promise<string | undefined> {
  const name = remote?.name ?? "";
  const ref = `refs/heads/${branch}`;
  const lease = `--force-with-lease=${ref}:${theirs}`;
  const pushed = await git.attempt(["push", "--quiet", lease, name, `:${ref}`], {
    timeoutMs: PUSH_TIMEOUT_MS,
  });
  const isGone = pushed.isOk || pushed.stderr.includes("remote ref does not exist");
  if (!isGone) return pushed.stderr.split("\n").at(-1) ?? "";
  const known = `refs/remotes/${name}/${branch}`;
  if ((await git.attempt(["rev-parse", "--quiet", "--verify", known])).isOk) {
    await deleteRef(git, known, theirs);
  }
  return undefined;
}

const stillThere = (remote: string, branch: string, why: string): string =>
  `${remote} still has ${branch} (${why}), and the next run would go on from there: \`git push ${remote} --delete ${branch}\` removes it.`;
