// The branch that a story is delivered into, local or at the remote: reads it and moves it. It only moves forward, and
// only from the commit on which the work was verified.

import { existsSync } from "node:fs";
import { messageOf, SagaError } from "../../errors.ts";
import { gitFailure } from "../../machine/programs/git-failure.ts";
import { answerOf, gitError, type Git, type GitResult } from "../../machine/programs/git.ts";
import { fetchRefs, reasonIn, type Remote, type Repository } from "../repository.ts";
import { checkoutOf } from "../worktree/checked-out.ts";
import {
  putBackMovedFiles,
  moveUntrackedFiles,
  type MovedFiles,
  type OwnFiles,
} from "./untracked-files.ts";
import { inProgress } from "../worktree/place.ts";
import { stageArriving, type EditableFile, type StagedEdit } from "../worktree/uncommitted-edit.ts";
import { commitOf, isAncestor, moveRef } from "../refs.ts";
import { steadily } from "../deterministic-git.ts";

export interface Target {
  /** A plain name: `main`, `epic/shop`. */
  readonly branch: string;
  /** `here`: the local branch. `remote`: the remote's branch; the local one is left alone. */
  readonly place: "here" | "remote";
}

export interface AdvanceRequest {
  readonly target: Target;
  readonly from: string;
  readonly to: string;
  /** Whether a clean checkout of the target may be updated. */
  readonly updateCheckouts: boolean;
  /** The delivered stories and the folders that belong to them, relative to the top folder. */
  readonly own: readonly (Pick<OwnFiles, "storyId" | "folders" | "tip"> & {
    readonly onWarning?: ((sentence: string) => void) | undefined;
  })[];
  /** Files that may be merged while a person's checkout has uncommitted changes to them. */
  readonly editable?: readonly EditableFile[] | undefined;
  /** Called right before the target moves. */
  readonly onMove?: (() => void) | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** A checkout that keeps the target from being moved. */
export interface BusyCheckout {
  readonly folder: string;
  readonly why: string;
  /** Whether only the permission to update it is missing. */
  readonly isUpdatable: boolean;
  /** Files with changes that are not committed. */
  readonly files: readonly string[];
}

export type AdvanceResult =
  | { readonly kind: "advanced" }
  /** The target is no longer at `from`. */
  | { readonly kind: "moved" }
  | ({ readonly kind: "checked-out" } & BusyCheckout);

const PUSH_TIMEOUT_MS = 120_000;

/** The target's commit. A remote branch is fetched first. */
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
  throw new SagaError("not-found", `The target branch ${branch} does not exist.`, {
    hint: "Create it, or set another one in .saga/config.toml: `base` under `[git]`.",
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
  throw gitError(`${target.branch} could not be updated: ${refused.why}`);
}

/** A symbolic branch, such as `main` that points at `master`, moves the branch it points at. */
async function resolveBranch(git: Git, branch: string): Promise<string> {
  const leadsTo = await answerOf(git, ["symbolic-ref", "--quiet", `refs/heads/${branch}`]);
  return /^refs\/heads\/(?<name>.+)$/.exec(leadsTo.stdout)?.groups?.["name"] ?? branch;
}

/** The checkout that would keep the target from being moved now, whatever is delivered. */
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

/**
 * Fast-forwards the local branch to a commit that the remote has, with the checkout that has it checked out. Returns why
 * it was not possible. Without a checkout, or if the branch has commits of its own, it is left alone.
 */
export async function followRemote(
  repository: Repository,
  step: Pick<AdvanceRequest, "own" | "editable" | "onWarning" | "to"> & { readonly branch: string },
): Promise<string | undefined> {
  const { git } = repository;
  const branch = await resolveBranch(git, step.branch);
  const ref = `refs/heads/${branch}`;
  const [folder, from] = [await checkoutOf(repository, branch), await commitOf(git, ref)];
  if (folder === undefined || from === undefined || !(await isAncestor(git, from, step.to))) {
    return undefined;
  }
  const target: Target = { branch, place: "here" };
  const update = { ...step, target, from, updateCheckouts: true };
  const refused = from === step.to ? undefined : await updateCheckout(git.at(folder), ref, update);
  return refused && `${folder} was not updated: ${refused.why}`;
}

type Refusal = Omit<BusyCheckout, "folder">;

const refusal = (why: string, files: readonly string[] = []): Refusal => ({
  why,
  isUpdatable: false,
  files,
});

const NOT_ALLOWED: Refusal = {
  why: "Updating it needs your permission.",
  isUpdatable: true,
  files: [],
};

/** Undefined when the checkout was updated. */
async function updateCheckout(
  git: Git,
  ref: string,
  step: AdvanceRequest,
): Promise<Refusal | undefined> {
  const busy = await whyNotUpdatable(git, ref);
  if (busy !== undefined) return busy;
  if (!step.updateCheckouts) return NOT_ALLOWED;
  const { from, to, own, onWarning } = step;
  if ((await commitOf(git, "HEAD")) !== from) return refusal("It got new commits in the meantime.");
  step.onMove?.();
  putBackMovedFiles({ git, folders: own.flatMap(({ folders }) => folders) });
  const refused = await fastForward(git, to);
  if (refused === undefined || (await commitOf(git, "HEAD")) !== from) return refused;
  const edits: StagedEdit[] = [];
  const moved: (MovedFiles & (typeof own)[number])[] = [];
  const undo = async (): Promise<void> => {
    for (const { putBack } of moved) putBack();
    for (const edit of edits) await edit.undo();
  };
  try {
    for (const file of step.editable ?? []) {
      const edit = await stageArriving(git, file, { from, to });
      if (edit) edits.push(edit);
    }
    for (const one of own) {
      moved.push({ ...one, ...(await moveUntrackedFiles({ git, ...one, from, to })) });
    }
  } catch (error) {
    await undo();
    throw error;
  }
  if (moved.every(({ paths }) => paths.length === 0) && edits.length === 0) return refused;
  const refusedAgain = await fastForward(git, to);
  if (refusedAgain !== undefined) {
    await undo();
    return refusedAgain;
  }
  // The merge is done by now.
  for (const edit of edits) {
    await edit.finish().catch((error: unknown) => onWarning?.(messageOf(error)));
  }
  for (const { snapshot, storyId, onWarning: warn = onWarning } of moved) {
    if (snapshot === undefined) continue;
    warn?.(
      `Your uncommitted copy of ${storyId}'s files in ${git.folder} was replaced by the merged one; the old copy is in the snapshot ${snapshot.ref} (\`saga snapshot list ${storyId}\`).`,
    );
  }
  return undefined;
}

/** Whether a person's work is in progress in the checkout. */
async function whyNotUpdatable(git: Git, ref: string): Promise<Refusal | undefined> {
  if (!existsSync(git.folder)) return refusal("Its folder does not exist.");
  const head = await answerOf(git, ["symbolic-ref", "--quiet", "HEAD"]);
  if (head.stdout !== ref) return refusal("A rebase or bisect is in progress there.");
  const operation = inProgress(await git.ask(["rev-parse", "--absolute-git-dir"]));
  if (operation !== undefined) return refusal(`A ${operation} is in progress there.`);
  const look = ["status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=none"];
  const changes = await git.ask([...look, "--no-renames", "--", ":(top)", ...EPIC_FILES], {
    env: { GIT_OPTIONAL_LOCKS: "0" },
  });
  if (changes === "") return undefined;
  // `XY path`; without renames each entry has one path.
  const files = changes.split("\0").flatMap((entry) => entry.slice(3) || []);
  return refusal(`It has uncommitted changes: ${listed(files)}.`, files);
}

/** Enough to recognise the work. */
const MAX_NAMES = 5;

const listed = (files: readonly string[]): string => {
  const more = files.length - MAX_NAMES;
  return more <= 0 ? files.join(", ") : `${files.slice(0, MAX_NAMES).join(", ")} and ${more} more`;
};

/**
 * Saga itself writes an epic's pull request into this file, in whatever is checked out. That is not a person's work.
 * If the merge changes the file too, git refuses.
 */
const EPIC_FILES = [":(top,exclude,glob)**/.saga/epics/*/epic.json"];

async function fastForward(git: Git, to: string): Promise<Refusal | undefined> {
  // Git itself refuses to overwrite untracked and ignored files.
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
 * The lease makes the remote accept the push only while its branch is still at `from`. Without it, a branch that
 * someone reset in the meantime would accept the push too, and get the removed commits back.
 */
async function push(
  repository: Repository,
  { target: { branch }, from, to, onMove, stop }: AdvanceRequest,
): Promise<AdvanceResult> {
  const { git } = repository;
  onMove?.();
  const remote = requireRemote(repository);
  const ref = `refs/heads/${branch}`;
  // A lease allows a forced push, so it is only used for a fast-forward.
  const lease = (await isAncestor(git, from, to)) ? { lease: `${ref}:${from}` } : {};
  const pushed = await pushCommit(git, remote, [`${to}:${ref}`], { stop, ...lease });
  // Even after a failed push: it may have succeeded and only the answer was lost.
  const now = await readTarget(repository, { branch, place: "remote" }, stop).catch((error) => {
    if (pushed.isOk) return to;
    throw error;
  });
  if (pushed.isOk || (await isAncestor(git, to, now))) return { kind: "advanced" };
  if (now !== from) return { kind: "moved" };
  throw new SagaError(
    "program-failed",
    `${remote.name} did not accept ${branch}: ${reasonIn(pushed.stderr)}`,
    {
      hint: "Nothing was changed. If the branch is protected, merge the pull request there.",
    },
  );
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

async function fetchTarget(
  git: Git,
  remote: Remote,
  branch: string,
  stop: AbortSignal | undefined,
): Promise<void> {
  const refs = [`+refs/heads/${branch}:refs/remotes/${remote.name}/${branch}`];
  let fetched = await fetchRefs(git, remote.name, refs, stop);
  // Another story's delivery may be writing the same ref.
  if (gitFailure(fetched) === "locked") fetched = await fetchRefs(git, remote.name, refs, stop);
  if (fetched.isOk) return;
  if (gitFailure(fetched) !== "missing-ref") {
    throw gitError(
      `${branch} could not be fetched from ${remote.name}: ${reasonIn(fetched.stderr)}`,
    );
  }
  throw new SagaError(
    "not-found",
    `Cannot merge into ${branch}: ${remote.name} has no such branch.`,
    {
      hint: `Nothing was changed. Push the branch: \`git push ${remote.name} ${branch}\`.`,
    },
  );
}

function requireRemote({ remote }: Repository): Remote {
  if (remote !== undefined) return remote;
  throw new SagaError("not-ready", "Cannot merge: this repository has no remote.", {
    hint: "Add one: `git remote add origin <address>`.",
  });
}
