// The branch that a story is to arrive in, here or at the remote: where it is, and how it moves on. It
// only ever moves forward, and only from where it was when the work was verified.

import { existsSync } from "node:fs";
import { SagaError } from "../../errors.ts";
import type { Git, GitResult } from "../../machine/programs/git.ts";
import { fetchRefs, reasonIn, type Remote, type Repository } from "../repository.ts";
import { checkoutOf } from "../worktree/checked-out.ts";
import { putBackMovedFiles, moveUntrackedFiles, type OwnFiles } from "./untracked-files.ts";
import { inProgress } from "../worktree/place.ts";
import { commitOf, isAncestor, moveRef } from "../refs.ts";
import { steadily } from "../deterministic-git.ts";

export interface Target {
  /** A plain name: `main`, `epic/shop`. */
  readonly branch: string;
  /** `here`: this repository's own branch. `remote`: the remote's; the one here is left alone. */
  readonly place: "here" | "remote";
}

export interface AdvanceRequest {
  readonly target: Target;
  readonly from: string;
  readonly to: string;
  /** Whether a clean checkout of the target may be brought up to date with it. */
  readonly updateCheckouts: boolean;
  /** The story that arrives, and what belongs to it: paths from the top folder. */
  readonly own: Pick<OwnFiles, "storyId" | "folders" | "tip">;
  /** Called right before the target is moved, and only then. */
  readonly onMove?: (() => void) | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** A checkout of the target that keeps it from being moved. */
export interface BusyCheckout {
  readonly folder: string;
  readonly why: string;
  /** Only the permission to update it is missing. */
  readonly isUpdatable: boolean;
  /** Files with changes that are not committed. */
  readonly files: readonly string[];
}

export type AdvanceResult =
  | { readonly kind: "advanced" }
  /** Someone else was faster. */
  | { readonly kind: "moved" }
  | ({ readonly kind: "checked-out" } & BusyCheckout);

const PUSH_TIMEOUT_MS = 120_000;

/** Its commit. The remote is asked: what is known of it may be old. */
export async function readTarget(
  repository: Repository,
  { branch, place }: Target,
  stop?: AbortSignal,
): Promise<string> {
  const { git } = repository;
  const remote = place === "remote" ? requireRemote(repository) : undefined;
  if (remote !== undefined) await fetchTarget(git, remote, branch, stop);
  const ref = remote ? `refs/remotes/${remote.name}/${branch}` : `refs/heads/${branch}`;
  const commit = await commitOf(git, ref);
  if (commit !== undefined) return commit;
  throw new SagaError("not-found", `There is no branch ${branch} to deliver to.`, {
    hint: "Make it, or name another one.",
  });
}

export const advance = (repository: Repository, step: AdvanceRequest): Promise<AdvanceResult> =>
  step.target.place === "remote" ? push(repository, step) : moveHere(repository, step);

async function moveHere(repository: Repository, step: AdvanceRequest): Promise<AdvanceResult> {
  const { git } = repository;
  const { target, from, to } = step;
  const branch = await resolveBranch(git, target.branch);
  const ref = `refs/heads/${branch}`;
  const folder = await checkoutOf(repository, branch);
  if (folder === undefined) step.onMove?.();
  const refused =
    folder === undefined
      ? refusalOf(await moveRef(git, { ref, to, from }))
      : await updateCheckout(git.at(folder), ref, step);
  if (refused === undefined) return { kind: "advanced" };
  if ((await commitOf(git, ref)) !== from) return { kind: "moved" };
  if (folder !== undefined) return { kind: "checked-out", folder, ...refused };
  throw new SagaError("program-failed", `${target.branch} could not be moved: ${refused.why}`, {
    hint: "Nothing was changed. Put right what git says, and run the command again.",
  });
}

/** A branch may be another name of one, as `main` is of `master` for a while: that one is what moves. */
async function resolveBranch(git: Git, branch: string): Promise<string> {
  const leadsTo = await git.attempt(["symbolic-ref", "--quiet", `refs/heads/${branch}`]);
  return /^refs\/heads\/(?<name>.+)$/.exec(leadsTo.stdout)?.groups?.["name"] ?? branch;
}

/** Why it could not be moved as things stand, whatever is to arrive; nothing when it could. */
export async function whyNotMovable(
  repository: Repository,
  target: Target,
  { updateCheckouts }: Pick<AdvanceRequest, "updateCheckouts">,
): Promise<BusyCheckout | undefined> {
  if (target.place === "remote") return undefined;
  const branch = await resolveBranch(repository.git, target.branch);
  const folder = await checkoutOf(repository, branch);
  if (folder === undefined) return undefined;
  const busy = await whyNotUpdatable(repository.git.at(folder), `refs/heads/${branch}`);
  const refused = busy ?? (updateCheckouts ? undefined : NOT_ALLOWED);
  return refused === undefined ? undefined : { folder, ...refused };
}

type Refusal = Omit<BusyCheckout, "folder">;

const refusal = (why: string, files: readonly string[] = []): Refusal => ({
  why,
  isUpdatable: false,
  files,
});

const NOT_ALLOWED: Refusal = {
  why: "It is only updated with your permission.",
  isUpdatable: true,
  files: [],
};

/** Why it was not done, in a sentence or in git's words; nothing when it was. */
async function updateCheckout(
  git: Git,
  ref: string,
  step: AdvanceRequest,
): Promise<Refusal | undefined> {
  const busy = await whyNotUpdatable(git, ref);
  if (busy !== undefined) return busy;
  if (!step.updateCheckouts) return NOT_ALLOWED;
  const { from, to, own, onWarning } = step;
  if ((await commitOf(git, "HEAD")) !== from) return refusal("It was moved in the meantime.");
  step.onMove?.();
  putBackMovedFiles({ git, folders: own.folders });
  const refused = await fastForward(git, to);
  if (refused === undefined || (await commitOf(git, "HEAD")) !== from) return refused;
  const taken = await moveUntrackedFiles({ git, ...own, from, to });
  if (taken.paths.length === 0) return refused;
  const refusedAgain = await fastForward(git, to);
  if (refusedAgain !== undefined) taken.putBack();
  else if (taken.snapshot) {
    onWarning?.(
      `Your uncommitted copy of ${own.storyId}'s files in ${git.folder} was replaced by the merged one; the old copy is kept as ${taken.snapshot.ref} (\`saga snapshot list ${own.storyId}\`).`,
    );
  }
  return refusedAgain;
}

/** What a person has begun there. */
async function whyNotUpdatable(git: Git, ref: string): Promise<Refusal | undefined> {
  if (!existsSync(git.folder)) return refusal("It is checked out in a folder that is not there.");
  const head = await git.attempt(["symbolic-ref", "--quiet", "HEAD"]);
  if (head.stdout !== ref) return refusal("It is in the middle of something there.");
  const begun = inProgress(await git.ask(["rev-parse", "--absolute-git-dir"]));
  if (begun !== undefined) return refusal(`There is a ${begun} in progress there.`);
  const look = ["status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=none"];
  const changes = await git.ask([...look, "--no-renames", "--", ":(top)", ...EPIC_FILES], {
    env: { GIT_OPTIONAL_LOCKS: "0" },
  });
  if (changes === "") return undefined;
  // `XY path`; without renames each entry has one path.
  const files = changes.split("\0").flatMap((entry) => entry.slice(3) || []);
  return refusal(`It has uncommitted changes: ${listed(files)}.`, files);
}

/** Enough to know what it is about. */
const MOST_NAMES = 5;

const listed = (files: readonly string[]): string => {
  const more = files.length - MOST_NAMES;
  return more <= 0 ? files.join(", ") : `${files.slice(0, MOST_NAMES).join(", ")} and ${more} more`;
};

/**
 * Saga itself notes the pull request of an epic there, in whatever is checked out: nobody has begun
 * anything. Git goes round it, and refuses by itself where it is in the way.
 */
const EPIC_FILES = [":(top,exclude,glob)**/.saga/epics/*/epic.json"];

async function fastForward(git: Git, to: string): Promise<Refusal | undefined> {
  // Git looks for itself whether a file that it does not know, or ignores, is in the way.
  const flags = [
    "--ff-only",
    "--no-squash",
    "--no-stat",
    "--no-autostash",
    "--no-overwrite-ignore",
  ];
  return refusalOf(await steadily(git).attempt(["merge", "--quiet", ...flags, to]));
}

const refusalOf = (result: GitResult): Refusal | undefined =>
  result.isOk ? undefined : refusal(result.stderr);

/**
 * It follows on what was read, and the remote takes it only while it is there: one that was set back in the
 * meantime would take it as well, and have again what someone took out.
 */
async function push(
  repository: Repository,
  { target: { branch }, from, to, onMove, stop }: AdvanceRequest,
): Promise<AdvanceResult> {
  const { git } = repository;
  onMove?.();
  const remote = requireRemote(repository);
  const ref = `refs/heads/${branch}`;
  // A lease is force: it is for what follows on, and for nothing else.
  const lease = (await isAncestor(git, from, to)) ? { lease: `${ref}:${from}` } : {};
  const pushed = await pushCommit(git, remote, [`${to}:${ref}`], { stop, ...lease });
  // Also when it failed: the answer may have been lost on the way.
  const now = await readTarget(repository, { branch, place: "remote" }, stop).catch((error) => {
    if (pushed.isOk) return to;
    throw error;
  });
  if (pushed.isOk || (await isAncestor(git, to, now))) return { kind: "advanced" };
  if (now !== from) return { kind: "moved" };
  throw new SagaError(
    "program-failed",
    `${remote.name} did not take ${branch}: ${reasonIn(pushed.stderr)}`,
    {
      hint: "Nothing was changed. Where the branch is protected, merge the pull request there.",
    },
  );
}

/** Nothing but what is named goes along: no tags, no options that someone has set for their own pushes. */
export const pushCommit = (
  git: Git,
  remote: Remote,
  what: readonly string[],
  { stop, lease }: { readonly stop?: AbortSignal | undefined; readonly lease?: string } = {},
): Promise<GitResult> => {
  const flags = ["--quiet", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"];
  if (lease !== undefined) flags.push(`--force-with-lease=${lease}`);
  return git.attempt(["-c", "push.pushOption=", "push", ...flags, "--", remote.name, ...what], {
    timeoutMs: PUSH_TIMEOUT_MS,
    stop,
    withHooks: true,
  });
};

async function fetchTarget(
  git: Git,
  remote: Remote,
  branch: string,
  stop: AbortSignal | undefined,
): Promise<void> {
  const refs = [`+refs/heads/${branch}:refs/remotes/${remote.name}/${branch}`];
  let fetched = await fetchRefs(git, remote.name, refs, stop);
  // Another story's delivery wrote the same ref at this moment.
  if (/lock/.test(fetched.stderr)) fetched = await fetchRefs(git, remote.name, refs, stop);
  if (fetched.isOk) return;
  const isAbsent = fetched.stderr.includes("couldn't find remote ref");
  throw new SagaError(
    isAbsent ? "not-found" : "program-failed",
    isAbsent
      ? `${remote.name} has no branch ${branch} to deliver to.`
      : `${remote.name} could not be asked for ${branch}: ${reasonIn(fetched.stderr)}`,
    { hint: "Nothing was changed. Put that right, and run the command again." },
  );
}

function requireRemote({ remote }: Repository): Remote {
  if (remote !== undefined) return remote;
  throw new SagaError("not-ready", "This repository has no remote to deliver to.", {
    hint: "Add one with `git remote add origin <address>`.",
  });
}
