// The branch of an epic whose stories are delivered into one branch: `epic/<epic>`, made from the base
// when the first of them needs it. Deleted by hand, it is made again with the stories that it had: they
// count as merged, and others build on them.

import { SagaError } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import { epicBranch, epicOfBranch, requireId } from "../../story/definition/names.ts";
import { fetchRefs, reasonIn, type Base, type Remote, type Repository } from "../repository.ts";
import { commitOf, isAncestor, moveRef, relationOf } from "../refs.ts";
import { checkoutOf } from "../worktree/checked-out.ts";
import { fromRef, isInBase, tipRef } from "./epic-refs.ts";
import { pushCommit, type Target } from "./target.ts";
import { lastCommittedAt, writeCommit } from "../write-commit.ts";

export interface EpicBranchRequest {
  readonly repository: Repository;
  readonly epicId: string;
  /** The branch that the whole epic goes to in the end. */
  readonly base: Pick<Base, "branch" | "commit">;
  /** Whether the epic's branch lives at the remote. */
  readonly canPush: boolean;
  /** For an epic that stays open: once merged, its branch starts again from the base. */
  readonly canRestart?: boolean | undefined;
  readonly stop?: AbortSignal | undefined;
}

export type EpicBranch =
  | {
      readonly kind: "ready";
      /** For `deliver`. */
      readonly target: Target;
      readonly commit: string;
      /** Made by this call. */
      readonly isNew: boolean;
      readonly warnings: readonly string[];
    }
  /** Its work is in the base: no story can be delivered with this epic any more. */
  | { readonly kind: "merged"; readonly target: Target; readonly commit: string };

export async function ensureEpicBranch(request: EpicBranchRequest): Promise<EpicBranch> {
  const { repository, base } = request;
  const epicId = requireId("epic", request.epicId);
  const remote = request.canPush ? repository.remote : undefined;
  const place = await readEpic(request, epicId);
  const { git, branch, seen, from } = place;
  const target: Target = { branch, place: remote ? "remote" : "here" };

  const found = remote ? place.theirs : (place.local ?? place.theirs);
  const last = found ?? place.local ?? seen;
  if (last !== undefined && (await isInBase(git, { from, last, base: base.commit }))) {
    if (request.canRestart) return restart(request, { place, last, target, remote });
    await recordTip(git, epicId, last);
    return { kind: "merged", target, commit: last };
  }
  const isGone = found === undefined && place.local === undefined;
  const deleted = isGone ? await storiesIn(git, seen, base.commit) : undefined;
  const warnings = await warningsOf(place, { deleted, remote });
  const start = found ?? (remote ? place.local : undefined) ?? deleted ?? base.commit;
  const isThere = remote ? found !== undefined : place.local !== undefined;
  const isNewStart = isGone && deleted === undefined;
  if (from === undefined || isNewStart) {
    const to = isNewStart ? start : await forkPoint(git, start, base.commit);
    await moveRef(git, { ref: fromRef(epicId), to, from });
  }
  const made = { branch, commit: start, remote, from: undefined };
  const commit = isThere ? start : await createOrMove(request, made);
  await recordTip(git, epicId, commit);
  return { kind: "ready", target, commit, isNew: !isThere, warnings };
}

/** Whether it has ever been there. */
export const isEpicKnown = async (git: Git, epicId: string): Promise<boolean> =>
  (await commitOf(git, tipRef(epicId))) !== undefined;

/** For `deliver`: where the branch of an epic was last seen, should it be gone one day. */
export async function recordEpicTip(git: Git, branch: string, tip: string): Promise<void> {
  const epicId = epicOfBranch(branch);
  if (epicId === undefined) return;
  const seen = await commitOf(git, tipRef(epicId));
  // A delivery that is told once more may be an old one.
  if (seen === undefined || !(await isAncestor(git, tip, seen))) await recordTip(git, epicId, tip);
}

interface EpicBranchState {
  readonly git: Git;
  readonly branch: string;
  readonly local: string | undefined;
  /** At the remote, when it could be asked; else what is known of it. */
  readonly theirs: string | undefined;
  readonly from: string | undefined;
  readonly seen: string | undefined;
}

async function readEpic(request: EpicBranchRequest, epicId: string): Promise<EpicBranchState> {
  const { git } = request.repository;
  const branch = epicBranch(epicId);
  return {
    git,
    branch,
    theirs: await readTheirs(request, branch),
    local: await commitOf(git, `refs/heads/${branch}`),
    from: await commitOf(git, fromRef(epicId)),
    seen: await commitOf(git, tipRef(epicId)),
  };
}

/** The remote is asked what it has: a branch that was deleted there leaves its name here. */
async function readTheirs(
  { repository: { git, remote }, canPush, stop }: EpicBranchRequest,
  branch: string,
): Promise<string | undefined> {
  if (remote === undefined) return undefined;
  const ref = `refs/heads/${branch}`;
  const tracking = `refs/remotes/${remote.name}/${branch}`;
  const options = { timeoutMs: 30_000, stop };
  const asked = await git.attempt(["ls-remote", "--", remote.name, ref], options);
  if (!asked.isOk && canPush) throw unreachable(remote, branch, asked.stderr);
  if (!asked.isOk) return commitOf(git, tracking);
  const commit = asked.stdout
    .split("\n")
    .map((line) => line.split("\t"))
    .find(([, name]) => name === ref)?.[0];
  if (commit === undefined) return undefined;
  const fetched = await fetchRefs(git, remote.name, [`+${ref}:${tracking}`], stop);
  if (!fetched.isOk && canPush) throw unreachable(remote, branch, fetched.stderr);
  return commitOf(git, tracking);
}

const unreachable = (remote: Remote, branch: string, said: string): SagaError =>
  new SagaError(
    "program-failed",
    `${remote.name} could not be asked for ${branch}: ${reasonIn(said)}`,
    {
      hint: "Nothing was changed. Put that right, and run the command again.",
    },
  );

const forkPoint = async (git: Git, tip: string, base: string): Promise<string> =>
  (await git.attempt(["merge-base", tip, base])).stdout || tip;

/** Where it was last seen, when the base does not have all of that: then there are stories in it. */
const storiesIn = async (
  git: Git,
  seen: string | undefined,
  base: string,
): Promise<string | undefined> =>
  seen === undefined || (await isAncestor(git, seen, base)) ? undefined : seen;

async function warningsOf(
  { git, branch, local, theirs }: EpicBranchState,
  { deleted, remote }: { deleted: string | undefined; remote: Remote | undefined },
): Promise<string[]> {
  if (deleted !== undefined) {
    const at = deleted.slice(0, 12);
    return [`${branch} was deleted; it is made again with the stories that it had, at ${at}.`];
  }
  if (local === undefined || theirs === undefined) return [];
  const relation = await relationOf(git, local, theirs);
  const used = remote ? "the remote's is used" : "the one in this repository is used";
  return relation === "apart" ? [`${branch} here and at the remote have gone apart; ${used}.`] : [];
}

interface Restart {
  readonly place: EpicBranchState;
  /** Its last commit, which the base has. */
  readonly last: string;
  readonly target: Target;
  readonly remote: Remote | undefined;
}

/**
 * Forward only, so that a branch that others have is not rewritten. Where it began is written first: killed after that,
 * the branch still counts as merged, and the next call does the same again.
 */
async function restart(
  request: EpicBranchRequest,
  { place, last, target, remote }: Restart,
): Promise<EpicBranch> {
  const { repository, base, epicId } = request;
  const { git, branch } = place;
  const folder = remote ? undefined : await checkoutOf(repository, branch);
  if (folder !== undefined) throw isCheckedOut(branch, base.branch, folder);
  const start = (await isAncestor(git, last, base.commit))
    ? base.commit
    : await joinSquashed(git, { base, branch, last });
  await moveRef(git, { ref: fromRef(epicId), to: start, from: place.from });
  const from = remote ? place.theirs : place.local;
  const commit = await createOrMove(request, { branch, commit: start, remote, from });
  await recordTip(git, epicId, commit);
  const warnings = [`${branch} was merged into ${base.branch}, and starts again from there.`];
  return { kind: "ready", target, commit, isNew: from === undefined, warnings };
}

/** The base as it is: all that the branch did is in it, under other commits. */
const joinSquashed = async (
  git: Git,
  { base, branch, last }: { base: EpicBranchRequest["base"]; branch: string; last: string },
): Promise<string> =>
  writeCommit(git, {
    tree: `${base.commit}^{tree}`,
    parents: [base.commit, last],
    message: `Merge ${base.branch} into ${branch}`,
    committedAt: await lastCommittedAt(git, [base.commit, last]),
  });

const isCheckedOut = (branch: string, base: string, folder: string): SagaError =>
  new SagaError("not-ready", `${branch} is merged into ${base}, and checked out in ${folder}.`, {
    hint: `Its next story starts from ${base} again: switch that checkout to another branch first.`,
  });

interface BranchMove {
  readonly branch: string;
  readonly commit: string;
  readonly remote: Remote | undefined;
  /** Where it is; undefined while there is none. */
  readonly from: string | undefined;
}

/** Made or moved only from where it was read: whoever was faster has it. */
async function createOrMove(
  { repository: { git }, stop }: EpicBranchRequest,
  { branch, commit, remote, from }: BranchMove,
): Promise<string> {
  const ref = `refs/heads/${branch}`;
  if (remote === undefined) {
    const made = await moveRef(git, { ref, to: commit, from });
    const now = await commitOf(git, ref);
    if (now !== undefined) return now;
    throw notMade(branch, made.stderr);
  }
  // A lease on nothing is taken only while there is no such branch.
  const lease = `${ref}:${from ?? ""}`;
  const pushed = await pushCommit(git, remote, [`${commit}:${ref}`], { stop, lease });
  const tracking = `refs/remotes/${remote.name}/${branch}`;
  const fetched = await fetchRefs(git, remote.name, [`+${ref}:${tracking}`], stop);
  const now = fetched.isOk ? await commitOf(git, tracking) : undefined;
  if (now !== undefined) return now;
  throw notMade(branch, pushed.isOk ? fetched.stderr : reasonIn(pushed.stderr));
}

const notMade = (branch: string, said: string): SagaError =>
  new SagaError("program-failed", `The branch ${branch} could not be made: ${said}`, {
    hint: "Nothing was changed. Put right what git says, and run the command again.",
  });

async function recordTip(git: Git, epicId: string, tip: string): Promise<void> {
  const ref = tipRef(epicId);
  const from = await commitOf(git, ref);
  if (from !== tip) await moveRef(git, { ref, to: tip, from });
}
