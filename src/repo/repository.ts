// The repository of a project, and the branch that its stories start from and are merged into. The user's branches are
// never changed here: only remote-tracking refs are fetched.

import { realpathSync } from "node:fs";
import { SagaError } from "../errors.ts";
import type { Environment } from "../machine/processes/environment.ts";
import { gitFailure } from "../machine/programs/git-failure.ts";
import { gitError, openGit, type Git, type GitResult } from "../machine/programs/git.ts";
import { storyBranch, storyOfBranch } from "../story/definition/names.ts";
import { headRef } from "../machine/programs/head.ts";
import { withoutNestedFilters } from "./nested-filters.ts";
import { commitOf, isAncestor } from "./refs.ts";

export interface Remote {
  readonly name: string;
  /** As git uses it. It may contain a password, so it must not be shown. */
  readonly url: string;
}

export interface Repository {
  /** With symlinks resolved. */
  readonly project: string;
  /** Runs in the project's folder. */
  readonly git: Git;
  /** The git folder that all worktrees share, with symlinks resolved. */
  readonly commonDir: string;
  /** `origin`, or the only remote. */
  readonly remote: Remote | undefined;
}

export interface Base {
  /** The branch that stories start from, such as `main`. */
  readonly branch: string;
  /** The branch that stories are merged into. */
  readonly target: string;
  readonly commit: string;
  /** The ref that the commit was read from: the local branch or the remote-tracking one. */
  readonly ref: string;
  /** The target's commits: of the local branch, and of the remote as last fetched. */
  readonly copies: readonly string[];
  readonly warnings: readonly string[];
}

/** A reachable remote answers `ls-remote` at once. */
const ASK_TIMEOUT_MS = 10_000;
const FETCH_TIMEOUT_MS = 60_000;
const SETTING = "Set the branch in .saga/config.toml: `base` under `[git]`.";

export async function findRepository(project: string, env: Environment): Promise<Repository> {
  const git = openGit(project, env);
  const facts = ["--is-inside-work-tree", "--show-prefix", "--path-format=absolute"];
  const found = await git.attempt(["rev-parse", ...facts, "--git-common-dir"]);
  if (!found.isOk) throw notARepository(project, found);
  const [isInside, prefix = "", ...commonDir] = found.stdout.split("\n");
  if (isInside !== "true") {
    throw new SagaError("no-project", `The repository at ${project} is bare: it has no files.`, {
      hint: "Run Saga in a clone of it.",
    });
  }
  if (prefix !== "") {
    throw new SagaError(
      "no-project",
      `.saga must be in the top folder of the git repository, and ${project} is not the top folder.`,
      {
        hint: "Move .saga to the top folder and run Saga there: a story's worktree contains the whole repository.",
      },
    );
  }
  if (!(await commitOf(git, "HEAD")) && (await git.ask(["for-each-ref", "--count=1"])) === "") {
    throw new SagaError("not-ready", `The repository at ${project} has no commit yet.`, {
      hint: "Make a first commit: stories start from a commit.",
    });
  }
  return {
    project: realpathSync.native(project),
    git: withoutNestedFilters(git, env),
    commonDir: realpathSync.native(commonDir.join("\n")),
    remote: await findRemote(git),
  };
}

/** Without fetching: uses the remote's branch as last fetched. Asks the remote which one it is if this clone does not know. */
export async function findBase(
  repository: Repository,
  setting: string | undefined,
  stop?: AbortSignal,
): Promise<Base> {
  return readBase(repository, await findBaseBranch(repository, setting, stop));
}

/** Fetches first. Offline, it uses what was last fetched, with a warning. */
export async function fetchAndFindBase(
  repository: Repository,
  {
    setting,
    storyId,
    stop,
  }: {
    readonly setting: string | undefined;
    readonly storyId: string;
    readonly stop?: AbortSignal | undefined;
  },
): Promise<Base> {
  const branch = await findBaseBranch(repository, setting, stop);
  const warning = await fetchBase(repository, branch, storyId, stop);
  const base = await readBase(repository, branch);
  return warning === undefined ? base : { ...base, warnings: [warning, ...base.warnings] };
}

/** Fetches the base and the story's branch. Returns a warning if that failed. */
export async function fetchBase(
  { git, remote }: Repository,
  branch: string,
  storyId: string,
  stop?: AbortSignal,
): Promise<string | undefined> {
  if (remote === undefined || stop?.aborted) return undefined;
  const ref = (name: string): string => `+refs/heads/${name}:refs/remotes/${remote.name}/${name}`;
  // A pattern may match nothing; a name that the remote lacks would fail the whole fetch.
  const wanted = [ref(branch), ref(`${storyBranch(storyId)}*`)];
  let fetched = await fetchRefs(git, remote.name, wanted, stop);
  // Another story's worker may be writing the same refs.
  if (gitFailure(fetched) === "locked") fetched = await fetchRefs(git, remote.name, wanted, stop);
  if (fetched.isOk) return undefined;
  if (gitFailure(fetched) === "missing-ref") {
    await fetchRefs(git, remote.name, wanted.slice(1));
    return `${remote.name} has no branch ${branch}; the local one is used.`;
  }
  return `${branch} could not be fetched from ${remote.name} (${reasonIn(fetched.stderr)}); the last known commit is used.`;
}

/** Only the story's branch. Throws if the remote cannot be reached. */
export async function fetchStory({ git, remote }: Repository, storyId: string): Promise<void> {
  if (remote === undefined) return;
  const branch = storyBranch(storyId);
  // A pattern may match nothing.
  const refspec = `+refs/heads/${branch}*:refs/remotes/${remote.name}/${branch}*`;
  const fetched = await fetchRefs(git, remote.name, [refspec]);
  if (fetched.isOk) return;
  throw gitError(`${branch} could not be fetched from ${remote.name}: ${reasonIn(fetched.stderr)}`);
}

export const fetchRefs = (
  git: Git,
  remote: string,
  refs: readonly string[],
  stop?: AbortSignal,
): Promise<GitResult> =>
  // Leaves the user's FETCH_HEAD, tags and submodules alone.
  git.attempt(
    ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"].concat(
      "--",
      remote,
      refs,
    ),
    { timeoutMs: FETCH_TIMEOUT_MS, stop },
  );

async function findBaseBranch(
  repository: Repository,
  setting: string | undefined,
  stop: AbortSignal | undefined,
): Promise<string> {
  if (setting !== undefined) return requireBranchName(repository, setting);
  const branch =
    (await remoteDefault(repository, stop)) ??
    (await checkedOut(repository.git)) ??
    (await usualBranch(repository.git));
  if (branch !== undefined) return branch;
  throw new SagaError("bad-setting", "Saga cannot tell which branch stories start from.", {
    hint: SETTING,
  });
}

async function requireBranchName({ git, remote }: Repository, setting: string): Promise<string> {
  const isName = await git.attempt(["check-ref-format", `refs/heads/${setting}`]);
  if (!isName.isOk) {
    throw new SagaError("bad-setting", `${JSON.stringify(setting)} is not a valid branch name.`, {
      hint: SETTING,
    });
  }
  // People may write `origin/main`, as in git's output.
  const prefix = `${remote?.name}/`;
  const isLocal = (await commitOf(git, `refs/heads/${setting}`)) !== undefined;
  return !isLocal && setting.startsWith(prefix) ? setting.slice(prefix.length) : setting;
}

async function remoteDefault(
  { git, remote }: Repository,
  stop: AbortSignal | undefined,
): Promise<string | undefined> {
  if (remote === undefined) return undefined;
  const head = `refs/remotes/${remote.name}/HEAD`;
  const known = await git.attempt(["symbolic-ref", "--quiet", head]);
  // Git sets it when cloning and keeps it after the branch is deleted.
  if (known.isOk && (await commitOf(git, head))) {
    return known.stdout.replace(`refs/remotes/${remote.name}/`, "");
  }
  const answer = await git.attempt(["ls-remote", "--symref", "--", remote.name, "HEAD"], {
    timeoutMs: ASK_TIMEOUT_MS,
    stop,
  });
  return /^ref: refs\/heads\/(?<branch>.+)\tHEAD$/m.exec(answer.stdout)?.groups?.["branch"];
}

async function checkedOut(git: Git): Promise<string | undefined> {
  const branch = (await headRef(git))?.replace("refs/heads/", "");
  if (branch === undefined) return undefined;
  const isOurs = storyOfBranch(branch) !== undefined || /^(?:story|epic|keep)\//.test(branch);
  const isThere = (await commitOf(git, "HEAD")) !== undefined;
  return isThere && !isOurs ? branch : undefined;
}

async function usualBranch(git: Git): Promise<string | undefined> {
  for (const branch of ["main", "master"]) {
    if (await commitOf(git, `refs/heads/${branch}`)) return branch;
  }
  return undefined;
}

/**
 * Of the local branch and the remote's, the one that contains the other. If neither is known to, as in a shallow clone,
 * the remote's: the pull request is compared with it.
 */
async function readBase({ git, remote }: Repository, branch: string): Promise<Base> {
  const localRef = `refs/heads/${branch}`;
  const remoteRef = `refs/remotes/${remote?.name}/${branch}`;
  const local = await commitOf(git, localRef);
  const theirs = remote && (await commitOf(git, remoteRef));
  const at = (ref: string, commit: string, warnings: string[] = []): Base => ({
    branch,
    target: branch,
    commit,
    ref,
    copies: [local, theirs].filter((copy) => copy !== undefined),
    warnings,
  });
  if (local === undefined && theirs === undefined) {
    throw new SagaError("not-found", `The target branch ${branch} does not exist.`, {
      hint: SETTING,
    });
  }
  if (local === undefined) return at(remoteRef, theirs ?? "");
  if (theirs === undefined || (await isAncestor(git, theirs, local))) return at(localRef, local);
  if (await isAncestor(git, local, theirs)) return at(remoteRef, theirs);
  return at(remoteRef, theirs, [
    `${branch} and ${remote?.name}/${branch} have diverged; the story starts from ${remote?.name}/${branch}.`,
  ]);
}

async function findRemote(git: Git): Promise<Remote | undefined> {
  const names = (await git.ask(["remote"])).split("\n").filter((name) => name !== "");
  const name = names.includes("origin") ? "origin" : names.length === 1 ? names[0] : undefined;
  if (name === undefined) return undefined;
  const url = await git.attempt(["remote", "get-url", "--", name]);
  return url.isOk ? { name, url: url.stdout } : undefined;
}

function notARepository(project: string, found: GitResult): SagaError {
  return gitFailure(found) === "not-a-repository"
    ? new SagaError("no-project", `${project} is not in a git repository.`, {
        hint: "Run `git init` and make a first commit: stories are kept in git.",
      })
    : gitError(`Git cannot read the repository at ${project}: ${found.stderr}`);
}

/** What went wrong with a remote, without what git says of every remote that fails. */
export function reasonIn(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "");
  const telling = lines.filter((line) => !GENERAL_ADVICE.test(line));
  return (telling.length > 0 ? telling : lines).join("; ").slice(-500);
}

const GENERAL_ADVICE =
  /^(?:hint: |To |fatal: Could not read from remote repository|Please make sure you have the correct access rights|and the repository exists\.)/;
