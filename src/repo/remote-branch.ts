// Branches at the remote: reads them, pushes to them, and deletes one that is still at a known commit.

import { gitError, type Git, type GitResult } from "../machine/programs/git.ts";
import { commitOf, deleteRef } from "./refs.ts";
import { reasonIn, type Remote, type Repository } from "./repository.ts";

const READ_TIMEOUT_MS = 30_000;
const PUSH_TIMEOUT_MS = 120_000;

/** The commits of the branches that match the pattern, by name. Asks the remote: a tracking ref may be old. */
export async function readRemoteBranches(
  { git, remote }: Repository,
  pattern: string,
  stop?: AbortSignal,
): Promise<Map<string, string>> {
  if (remote === undefined) return new Map();
  const args = ["ls-remote", "--", remote.name, `refs/heads/${pattern}`];
  const answer = await git.attempt(args, { timeoutMs: READ_TIMEOUT_MS, stop });
  if (!answer.isOk) {
    throw gitError(`The branches of ${remote.name} could not be read: ${reasonIn(answer.stderr)}`);
  }
  const rows = answer.stdout.split("\n").map((line) => line.split("\t"));
  return new Map(
    rows.flatMap(([commit = "", ref = ""]) =>
      ref.startsWith("refs/heads/") ? [[ref.slice("refs/heads/".length), commit]] : [],
    ),
  );
}

/** Deletes the branch only at this commit: newer work of others stays. Returns why it was not deleted. */
export async function deleteRemoteBranch(
  repository: Repository,
  { branch, commit }: { readonly branch: string; readonly commit: string },
  stop?: AbortSignal,
): Promise<string | undefined> {
  const { git, remote } = repository;
  if (remote === undefined) return undefined;
  const ref = `refs/heads/${branch}`;
  const flags = ["--quiet", `--force-with-lease=${ref}:${commit}`];
  const pushed = await git.attempt(["push", ...flags, "--", remote.name, `:${ref}`], {
    timeoutMs: PUSH_TIMEOUT_MS,
    stop,
  });
  if (!pushed.isOk) {
    // The push may have succeeded with its answer lost, or the branch was deleted before.
    const there = await readRemoteBranches(repository, branch, stop).catch(() => undefined);
    if (there?.get(branch) === commit || there === undefined) return reasonIn(pushed.stderr);
    if (there.has(branch)) return "it has other commits";
  }
  await forgetRemoteBranch(repository, { branch, commit });
  return undefined;
}

/** Deletes the tracking ref of a branch that the remote does not have any more. */
export async function forgetRemoteBranch(
  { git, remote }: Repository,
  { branch, commit }: { readonly branch: string; readonly commit: string },
): Promise<void> {
  const tracking = `refs/remotes/${remote?.name}/${branch}`;
  if ((await commitOf(git, tracking)) === commit) await deleteRef(git, tracking, commit);
}

interface PushOptions {
  readonly stop?: AbortSignal | undefined;
  /** `<ref>:<commit>`: the push is refused if the remote's ref is elsewhere. */
  readonly lease?: string;
  /** All refs or none. */
  readonly isAtomic?: boolean;
}

/** Pushes only these refs: without tags, and without the user's own push options. */
export const pushCommit = (
  git: Git,
  remote: Remote,
  refspecs: readonly string[],
  { stop, lease, isAtomic = false }: PushOptions = {},
): Promise<GitResult> => {
  const flags = ["--quiet", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"];
  if (lease !== undefined) flags.push(`--force-with-lease=${lease}`);
  if (isAtomic) flags.push("--atomic");
  return git.attempt(["-c", "push.pushOption=", "push", ...flags, "--", remote.name, ...refspecs], {
    timeoutMs: PUSH_TIMEOUT_MS,
    stop,
    withHooks: true,
  });
};
