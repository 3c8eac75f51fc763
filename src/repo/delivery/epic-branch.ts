// The branch of an epic that is delivered as one: `epic/<epic>`, created from the base when the first story needs
// it. If a person deletes it, it is created again with the stories that it had: those count as merged, and other
// stories build on them.

import { SagaError } from "../../errors.ts";
import { gitError, type Git } from "../../machine/programs/git.ts";
import { epicBranch, epicOfBranch, requireId } from "../../story/definition/names.ts";
import { fetchRefs, reasonIn, type Base, type Remote, type Repository } from "../repository.ts";
import { commitOf, isAncestor, moveRef, relationOf, sharedCommit } from "../refs.ts";
import { checkoutOf } from "../worktree/checked-out.ts";
import { fromRef, isInBase, tipRef } from "./epic-refs.ts";
import { pushCommit } from "../remote-branch.ts";
import type { Target } from "./target.ts";
import { lastCommittedAt, writeCommit } from "../write-commit.ts";

export interface EpicBranchRequest {
  readonly repository: Repository;
  readonly epicId: string;
  /** The branch that the whole epic is merged into in the end. */
  readonly base: Pick<Base, "branch" | "commit">;
  /** Whether the epic's branch lives at the remote. */
  readonly canPush: boolean;
  /** For a persistent epic: after a merge, its branch restarts from the base. */
  readonly canRestart?: boolean | undefined;
  readonly stop?: AbortSignal | undefined;
}

export type EpicBranch =
  | {
      readonly kind: "ready";
      /** For `deliver`. */
      readonly target: Target;
      readonly commit: string;
      /** Created by this call. */
      readonly isNew: boolean;
      readonly warnings: readonly string[];
    }
  /** The base has all of its work: no further story can be delivered into it. */
  | { readonly kind: "merged"; readonly target: Target; readonly commit: string };

export async function ensureEpicBranch(request: EpicBranchRequest): Promise<EpicBranch> {
  const { repository, base } = request;
  const epicId = requireId("epic", request.epicId);
  const remote = request.canPush ? repository.remote : undefined;
  const place = await readEpic(request, epicId);
  const { git, branch, recorded, from } = place;
  const target: Target = { branch, place: remote ? "remote" : "here" };

  const found = remote ? place.theirs : (place.local ?? place.theirs);
  const last = found ?? place.local ?? recorded;
  if (last !== undefined && (await isInBase(git, { from, last, base: base.commit }))) {
    if (request.canRestart) return restart(request, { place, last, target, remote });
    await recordTip(git, epicId, last);
    return { kind: "merged", target, commit: last };
  }
  const isGone = found === undefined && place.local === undefined;
  const deleted = isGone ? await tipWithStories(git, recorded, base.commit) : undefined;
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

/** Whether the epic's branch has ever existed. */
export const isEpicKnown = async (git: Git, epicId: string): Promise<boolean> =>
  (await commitOf(git, tipRef(epicId))) !== undefined;

/** Records where an epic's branch was last seen, in case it is deleted. Other branches are ignored. */
export async function recordEpicTip(git: Git, branch: string, tip: string): Promise<void> {
  const epicId = epicOfBranch(branch);
  if (epicId === undefined) return;
  const recorded = await commitOf(git, tipRef(epicId));
  // A repeated call may report an old delivery.
  if (recorded === undefined || !(await isAncestor(git, tip, recorded)))
    await recordTip(git, epicId, tip);
}

interface EpicBranchState {
  readonly git: Git;
  readonly branch: string;
  readonly local: string | undefined;
  /** The remote's commit; as last fetched if the remote does not answer. */
  readonly theirs: string | undefined;
  readonly from: string | undefined;
  readonly recorded: string | undefined;
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
    recorded: await commitOf(git, tipRef(epicId)),
  };
}

/** Asks the remote: the tracking ref stays after the branch is deleted there. */
async function readTheirs(
  { repository: { git, remote }, canPush, stop }: EpicBranchRequest,
  branch: string,
): Promise<string | undefined> {
  if (remote === undefined) return undefined;
  const ref = `refs/heads/${branch}`;
  const tracking = `refs/remotes/${remote.name}/${branch}`;
  const options = { timeoutMs: 30_000, stop };
  const answer = await git.attempt(["ls-remote", "--", remote.name, ref], options);
  if (!answer.isOk && canPush) throw unreachable(remote, branch, answer.stderr);
  if (!answer.isOk) return commitOf(git, tracking);
  const commit = answer.stdout
    .split("\n")
    .map((line) => line.split("\t"))
    .find(([, name]) => name === ref)?.[0];
  if (commit === undefined) return undefined;
  const fetched = await fetchRefs(git, remote.name, [`+${ref}:${tracking}`], stop);
  if (!fetched.isOk && canPush) throw unreachable(remote, branch, fetched.stderr);
  return commitOf(git, tracking);
}

const unreachable = (remote: Remote, branch: string, error: string): SagaError =>
  gitError(`${branch} could not be fetched from ${remote.name}: ${reasonIn(error)}`);

const forkPoint = async (git: Git, tip: string, base: string): Promise<string> =>
  (await sharedCommit(git, tip, base)) ?? tip;

/** The branch's last known commit, if the base lacks some of it: then it has stories. */
const tipWithStories = async (
  git: Git,
  recorded: string | undefined,
  base: string,
): Promise<string | undefined> =>
  recorded === undefined || (await isAncestor(git, recorded, base)) ? undefined : recorded;

async function warningsOf(
  { git, branch, local, theirs }: EpicBranchState,
  { deleted, remote }: { deleted: string | undefined; remote: Remote | undefined },
): Promise<string[]> {
  if (deleted !== undefined) {
    const at = deleted.slice(0, 12);
    return [`${branch} was deleted; it was created again with its stories, at ${at}.`];
  }
  if (local === undefined || theirs === undefined) return [];
  const relation = await relationOf(git, local, theirs);
  const used = remote ? "the remote's is used" : "the local one is used";
  return relation === "apart" ? [`${branch} here and at the remote have diverged; ${used}.`] : [];
}

interface Restart {
  readonly place: EpicBranchState;
  /** The branch's last commit, which the base contains. */
  readonly last: string;
  readonly target: Target;
  readonly remote: Remote | undefined;
}

/**
 * Moves the branch forward only, so that others' copies stay valid. The start ref is written first: after a kill the
 * branch still counts as merged, and the next call repeats this.
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
  const warnings = [`${branch} was merged into ${base.branch} and restarts from there.`];
  return { kind: "ready", target, commit, isNew: from === undefined, warnings };
}

/** A merge commit with the base's tree: the base has all of the branch's work under other commits. */
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
  new SagaError(
    "not-ready",
    `${branch} was merged into ${base} and cannot restart: it is checked out in ${folder}.`,
    { hint: "Switch that checkout to another branch and run the command again." },
  );

interface BranchMove {
  readonly branch: string;
  readonly commit: string;
  readonly remote: Remote | undefined;
  /** The branch's current commit; undefined if it does not exist. */
  readonly from: string | undefined;
}

/** Moves the branch only from the commit that was read. If another process was faster, its commit is returned. */
async function createOrMove(
  { repository: { git }, stop }: EpicBranchRequest,
  { branch, commit, remote, from }: BranchMove,
): Promise<string> {
  const ref = `refs/heads/${branch}`;
  if (remote === undefined) {
    const made = await moveRef(git, { ref, to: commit, from });
    const now = await commitOf(git, ref);
    if (now !== undefined) return now;
    throw notCreated(branch, made.stderr);
  }
  // An empty lease is accepted only while the branch does not exist.
  const leases = [`${ref}:${from ?? ""}`];
  const pushed = await pushCommit(git, remote, [`${commit}:${ref}`], { stop, leases });
  const tracking = `refs/remotes/${remote.name}/${branch}`;
  const fetched = await fetchRefs(git, remote.name, [`+${ref}:${tracking}`], stop);
  const now = fetched.isOk ? await commitOf(git, tracking) : undefined;
  if (now !== undefined) return now;
  throw notCreated(branch, pushed.isOk ? fetched.stderr : reasonIn(pushed.stderr));
}

const notCreated = (branch: string, error: string): SagaError =>
  gitError(`The branch ${branch} could not be created: ${error}`);

async function recordTip(git: Git, epicId: string, tip: string): Promise<void> {
  const ref = tipRef(epicId);
  const from = await commitOf(git, ref);
  if (from !== tip) await moveRef(git, { ref, to: tip, from });
}
