// The branch that a story is delivered into, local or at the remote: reads it and moves it. It only moves forward, and
// only from the commit on which the work was verified.

import { SagaError } from "../../errors.ts";
import { gitFailure } from "../../machine/programs/git-failure.ts";
import { answerOf, gitError, type Git } from "../../machine/programs/git.ts";
import { fetchRefs, reasonIn, type Remote, type Repository } from "../repository.ts";
import type { LaneFence, TargetPush } from "../sharing/lane-fence.ts";
import { checkoutOf } from "../worktree/checked-out.ts";
import { commitOf, isAncestor, moveRef } from "../refs.ts";
import { pushCommit } from "../remote-branch.ts";
import {
  NOT_ALLOWED,
  refusalOf,
  updateCheckout,
  whyNotUpdatable,
  type BusyCheckout,
  type CheckoutUpdate,
} from "./update-checkout.ts";

export interface Target {
  /** A plain name: `main`, `epic/shop`. */
  readonly branch: string;
  /** `here`: the local branch. `remote`: the remote's branch; the local one is left alone. */
  readonly place: "here" | "remote";
}

export interface AdvanceRequest extends CheckoutUpdate {
  readonly target: Target;
  /** In a lane that the machines of a fleet share. */
  readonly fenced?: FencedPush | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** Pushes the target unless another lander has its lane by now. */
export type FencedPush = (
  push: Pick<TargetPush, "refspec" | "lease" | "stop">,
) => ReturnType<LaneFence["push"]>;

export type AdvanceResult =
  | { readonly kind: "advanced" }
  /** Another lander has the lane. */
  | { readonly kind: "outdated" }
  /** The target is no longer at `from`. */
  | { readonly kind: "moved" }
  | ({ readonly kind: "checked-out" } & BusyCheckout);

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
  const update = { ...step, from, updateCheckouts: true };
  const refused = from === step.to ? undefined : await updateCheckout(git.at(folder), ref, update);
  return refused && `${folder} was not updated: ${refused.why}`;
}

/**
 * The lease makes the remote accept the push only while its branch is still at `from`. Without it, a branch that
 * someone reset in the meantime would accept the push too, and get the removed commits back.
 */
async function push(
  repository: Repository,
  { target: { branch }, from, to, fenced, onMove, stop }: AdvanceRequest,
): Promise<AdvanceResult> {
  const { git } = repository;
  onMove?.();
  const remote = requireRemote(repository);
  const ref = `refs/heads/${branch}`;
  // A lease allows a forced push, so it is only used for a fast-forward.
  const lease = (await isAncestor(git, from, to)) ? `${ref}:${from}` : undefined;
  const refspec = `${to}:${ref}`;
  const pushed = fenced
    ? await fenced({ refspec, lease, stop })
    : await pushCommit(git, remote, [refspec], {
        stop,
        leases: lease === undefined ? [] : [lease],
      });
  // Even after a failed push: it may have succeeded and only the answer was lost.
  const now = await readTarget(repository, { branch, place: "remote" }, stop).catch((error) => {
    if (pushed.isOk) return to;
    throw error;
  });
  if (pushed.isOk || (await isAncestor(git, to, now))) return { kind: "advanced" };
  if ("isOutdated" in pushed && pushed.isOutdated) return { kind: "outdated" };
  if (now !== from) return { kind: "moved" };
  throw new SagaError(
    "program-failed",
    `${remote.name} rejected ${branch}: ${reasonIn(pushed.stderr)}`,
    {
      hint: "Nothing was changed. If the branch is protected, merge the pull request there.",
    },
  );
}

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
