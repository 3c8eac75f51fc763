// The repository around a project, and the branch that its stories start from and that their pull
// requests go to. Nothing here changes a branch of the user's: only remote-tracking refs are fetched.

import { realpathSync } from "node:fs";
import { SagaError } from "../errors.ts";
import type { Environment } from "../machine/processes/environment.ts";
import { openGit, type Git, type GitResult } from "../machine/programs/git.ts";
import { storyBranch, storyOfBranch } from "../story/definition/names.ts";
import { commitOf, isAncestor } from "./refs.ts";

export interface Remote {
  readonly name: string;
  /** As git would use it. It may hold a password: not for showing. */
  readonly url: string;
}

export interface Repository {
  /** With links followed. */
  readonly project: string;
  /** At the project. */
  readonly git: Git;
  /** Where git keeps what all worktrees share, with links followed. */
  readonly commonDir: string;
  /** `origin`, or the only one. */
  readonly remote: Remote | undefined;
}

export interface Base {
  /** Stories start from it: a plain name, `main` for example. */
  readonly branch: string;
  /** Pull requests go to it. */
  readonly target: string;
  readonly commit: string;
  /** Where the commit was read: the branch itself, or what is known of the remote's. */
  readonly ref: string;
  /** The target's commits, here and as far as known at the remote. */
  readonly copies: readonly string[];
  readonly warnings: readonly string[];
}

/** A remote that is there answers such a small question at once. */
const ASK_TIMEOUT_MS = 10_000;
const FETCH_TIMEOUT_MS = 60_000;
const SETTING = "Name the branch in .saga/config.toml: `base` under `[git]`.";

export async function findRepository(project: string, env: Environment): Promise<Repository> {
  const git = openGit(project, env);
  const found = await git.attempt(["rev-parse", "--is-inside-work-tree", "--show-prefix"]);
  if (!found.isOk) throw notARepository(project, found.stderr);
  const [isInside, prefix = ""] = found.stdout.split("\n");
  if (isInside !== "true") {
    throw new SagaError("no-project", `The repository at ${project} is bare: it has no files.`, {
      hint: "Run Saga in a clone of it.",
    });
  }
  if (prefix !== "") {
    throw new SagaError(
      "no-project",
      `${project} is not the top folder of its git repository, and a story's worktree holds the whole of it.`,
      { hint: "Move .saga to the top folder of the repository, and run Saga there." },
    );
  }
  if ((await git.ask(["for-each-ref", "--count=1"])) === "" && !(await commitOf(git, "HEAD"))) {
    throw new SagaError("not-ready", `The repository at ${project} has no commit yet.`, {
      hint: "Make a first commit: stories start from one.",
    });
  }
  return {
    project: realpathSync.native(project),
    git,
    commonDir: realpathSync.native(
      await git.ask(["rev-parse", "--path-format=absolute", "--git-common-dir"]),
    ),
    remote: await findRemote(git),
  };
}

/** What is known without asking the remote, as far as it goes. */
export async function findBase(repository: Repository, setting: string | undefined): Promise<Base> {
  return readBase(repository, await findBaseBranch(repository, setting));
}

/** The same, after asking the remote for what is new. Offline it is what is known. */
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
  const branch = await findBaseBranch(repository, setting);
  const warning = await fetchBase(repository, branch, storyId, stop);
  const base = await readBase(repository, branch);
  return warning === undefined ? base : { ...base, warnings: [warning, ...base.warnings] };
}

/** Brings what is known of the remote's base and of the story's branch there up to date. */
export async function fetchBase(
  { git, remote }: Repository,
  branch: string,
  storyId: string,
  stop?: AbortSignal,
): Promise<string | undefined> {
  if (remote === undefined || stop?.aborted) return undefined;
  const ref = (name: string): string => `+refs/heads/${name}:refs/remotes/${remote.name}/${name}`;
  // A pattern may match nothing; a name that the remote does not have would fail the whole call.
  const wanted = [ref(branch), ref(`${storyBranch(storyId)}*`)];
  let fetched = await fetchRefs(git, remote.name, wanted, stop);
  // Another story's worker wrote the same refs at this moment.
  if (/lock/.test(fetched.stderr)) fetched = await fetchRefs(git, remote.name, wanted, stop);
  if (fetched.isOk) return undefined;
  if (fetched.stderr.includes("couldn't find remote ref")) {
    await fetchRefs(git, remote.name, wanted.slice(1));
    return `${remote.name} has no branch ${branch}; the one in this repository is used.`;
  }
  return `${remote.name} could not be asked for what is new (${reasonIn(fetched.stderr)}); going on with what is known of it.`;
}

export const fetchRefs = (
  git: Git,
  remote: string,
  refs: readonly string[],
  stop?: AbortSignal,
): Promise<GitResult> =>
  // Not the user's FETCH_HEAD, tags or submodules.
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
): Promise<string> {
  if (setting !== undefined) return requireBranchName(repository, setting);
  const branch =
    (await remoteDefault(repository)) ??
    (await checkedOut(repository.git)) ??
    (await usualBranch(repository.git));
  if (branch !== undefined) return branch;
  throw new SagaError("bad-setting", "It is not clear which branch stories start from.", {
    hint: SETTING,
  });
}

async function requireBranchName({ git, remote }: Repository, setting: string): Promise<string> {
  const isName = await git.attempt(["check-ref-format", `refs/heads/${setting}`]);
  if (!isName.isOk) {
    throw new SagaError("bad-setting", `${JSON.stringify(setting)} is not the name of a branch.`, {
      hint: SETTING,
    });
  }
  // `origin/main` is what people read in git's own output.
  const prefix = `${remote?.name}/`;
  const isLocal = (await commitOf(git, `refs/heads/${setting}`)) !== undefined;
  return !isLocal && setting.startsWith(prefix) ? setting.slice(prefix.length) : setting;
}

async function remoteDefault({ git, remote }: Repository): Promise<string | undefined> {
  if (remote === undefined) return undefined;
  const head = `refs/remotes/${remote.name}/HEAD`;
  const known = await git.attempt(["symbolic-ref", "--quiet", head]);
  // It is set when a clone is made, and stays when the branch it names is gone.
  if (known.isOk && (await commitOf(git, head))) {
    return known.stdout.replace(`refs/remotes/${remote.name}/`, "");
  }
  const asked = await git.attempt(["ls-remote", "--symref", "--", remote.name, "HEAD"], {
    timeoutMs: ASK_TIMEOUT_MS,
  });
  return /^ref: refs\/heads\/(?<branch>.+)\tHEAD$/m.exec(asked.stdout)?.groups?.["branch"];
}

async function checkedOut(git: Git): Promise<string | undefined> {
  const head = await git.attempt(["symbolic-ref", "--quiet", "HEAD"]);
  const branch = head.stdout.replace("refs/heads/", "");
  const isOurs = storyOfBranch(branch) !== undefined || /^(?:story|epic|keep)\//.test(branch);
  const isThere = (await commitOf(git, "HEAD")) !== undefined;
  return head.isOk && isThere && !isOurs ? branch : undefined;
}

async function usualBranch(git: Git): Promise<string | undefined> {
  for (const branch of ["main", "master"]) {
    if (await commitOf(git, `refs/heads/${branch}`)) return branch;
  }
  return undefined;
}

/**
 * Whichever of the local branch and the remote's contains the other. In a shallow clone that may not
 * be known: then the remote's, because it is what the pull request is compared with.
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
    throw new SagaError("not-found", `There is no branch ${branch} to start from.`, {
      hint: SETTING,
    });
  }
  if (local === undefined) return at(remoteRef, theirs ?? "");
  if (theirs === undefined || (await isAncestor(git, theirs, local))) return at(localRef, local);
  if (await isAncestor(git, local, theirs)) return at(remoteRef, theirs);
  return at(remoteRef, theirs, [
    `${branch} and ${remote?.name}/${branch} have gone apart; the story starts from ${remote?.name}/${branch}.`,
  ]);
}

async function findRemote(git: Git): Promise<Remote | undefined> {
  const names = (await git.ask(["remote"])).split("\n").filter((name) => name !== "");
  const name = names.includes("origin") ? "origin" : names.length === 1 ? names[0] : undefined;
  if (name === undefined) return undefined;
  const url = await git.attempt(["remote", "get-url", "--", name]);
  return url.isOk ? { name, url: url.stdout } : undefined;
}

function notARepository(project: string, said: string): SagaError {
  return said.includes("not a git repository")
    ? new SagaError("no-project", `${project} is not in a git repository.`, {
        hint: "Run `git init` and make a first commit: a story's work is kept in git.",
      })
    : new SagaError("program-failed", `git cannot read the repository at ${project}: ${said}`, {
        hint: "Put right what git says, and run the command again.",
      });
}

/** What went wrong with a remote, without what git says of every remote that fails. */
export const reasonIn = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) => line.trim() !== "" && !GENERAL_ADVICE.test(line))
    .join("; ")
    .slice(-500);

const GENERAL_ADVICE =
  /^(?:hint: |To |Please make sure you have the correct access rights|and the repository exists\.)/;
