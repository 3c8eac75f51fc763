// Branches at the remote: reads them, pushes to them, and deletes one that is still at a known commit.

import { gitError, type Git, type GitResult } from "../machine/programs/git.ts";
import { commitOf, deleteRef } from "./refs.ts";
import { reasonIn, type Remote, type Repository } from "./repository.ts";

const READ_TIMEOUT_MS = 30_000;
const PUSH_TIMEOUT_MS = 120_000;

/** The commits of the branches that match the pattern, by name. Asks the remote: a tracking ref may be old. */
export async function readRemoteBranches(
  repository: Repository,
  pattern: string,
  stop?: AbortSignal,
): Promise<Map<string, string>> {
  const what = `The branches of ${repository.remote?.name}`;
  const refs = await listRefs(repository, [`refs/heads/${pattern}`], { what, stop });
  return new Map(
    [...refs].flatMap(([ref, commit]) =>
      ref.startsWith("refs/heads/") ? [[ref.slice("refs/heads/".length), commit]] : [],
    ),
  );
}

/** The refs at the remote that match, with their commits. Throws if the remote cannot be asked. */
export const readRemoteRefs = (
  repository: Repository,
  patterns: readonly string[],
  stop?: AbortSignal,
): Promise<ReadonlyMap<string, string>> =>
  listRefs(repository, patterns, { what: repository.remote?.name ?? "", stop });

async function listRefs(
  { git, remote }: Repository,
  patterns: readonly string[],
  { what, stop }: { readonly what: string; readonly stop: AbortSignal | undefined },
): Promise<ReadonlyMap<string, string>> {
  if (remote === undefined) return new Map();
  const answer = await git.attempt(["ls-remote", "--", remote.name, ...patterns], {
    timeoutMs: READ_TIMEOUT_MS,
    stop,
  });
  if (!answer.isOk) {
    throw gitError(`${what} could not be read: ${reasonIn(answer.stderr)}`);
  }
  const rows = answer.stdout.split("\n").map((line) => line.split("\t"));
  return new Map(rows.flatMap(([commit = "", ref = ""]) => (ref ? [[ref, commit] as const] : [])));
}

/** Deletes the branch only at this commit: newer work of others stays. Returns why it was not deleted. */
export async function deleteRemoteBranch(
  repository: Repository,
  { branch, commit }: { readonly branch: string; readonly commit: string },
  stop?: AbortSignal,
): Promise<string | undefined> {
  const why = await deleteRemoteRefs(repository, [{ ref: `refs/heads/${branch}`, commit }], stop);
  if (why === undefined) await forgetRemoteBranch(repository, { branch, commit });
  return why;
}

export interface KnownRef {
  readonly ref: string;
  readonly commit: string;
}

/** Deletes all of them or none, and each only at this commit. Returns why they were not deleted. */
export async function deleteRemoteRefs(
  repository: Repository,
  refs: readonly KnownRef[],
  stop?: AbortSignal,
): Promise<string | undefined> {
  const { git, remote } = repository;
  if (remote === undefined) return undefined;
  const leases = refs.map(({ ref, commit }) => `--force-with-lease=${ref}:${commit}`);
  const flags = ["--quiet", ...(refs.length > 1 ? ["--atomic"] : []), ...leases];
  const names = refs.map(({ ref }) => ref);
  const pushed = await git.attempt(
    ["push", ...flags, "--", remote.name, ...names.map((ref) => `:${ref}`)],
    { timeoutMs: PUSH_TIMEOUT_MS, stop },
  );
  if (pushed.isOk) return undefined;
  // The push may have succeeded with its answer lost, or they were deleted before.
  const there = await readRemoteRefs(repository, names, stop).catch(() => undefined);
  const left = refs.filter(({ ref }) => there?.has(ref));
  if (there === undefined) return reasonIn(pushed.stderr);
  if (left.some(({ ref, commit }) => there.get(ref) !== commit)) return "it has other commits";
  return left.length > 0 ? reasonIn(pushed.stderr) : undefined;
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
  readonly leases?: readonly string[];
  /** All refs or none. */
  readonly isAtomic?: boolean;
}

/** Pushes only these refs: without tags, and without the user's own push options. */
export const pushCommit = (
  git: Git,
  remote: Remote,
  refspecs: readonly string[],
  { stop, leases = [], isAtomic = false }: PushOptions = {},
): Promise<GitResult> => {
  const flags = ["--quiet", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"];
  flags.push(...leases.map((lease) => `--force-with-lease=${lease}`));
  if (isAtomic) flags.push("--atomic");
  return git.attempt(["-c", "push.pushOption=", "push", ...flags, "--", remote.name, ...refspecs], {
    timeoutMs: PUSH_TIMEOUT_MS,
    stop,
    withHooks: true,
  });
};
