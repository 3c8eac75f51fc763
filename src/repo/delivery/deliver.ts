// Brings a story's branch into its target: put together, verified, then moved.
//
// One round: the target is read (the remote's after a fetch), the two become one commit in git's object
// store, that commit is checked out in a scratch worktree and verified there, what is about to happen is
// recorded, and the target is moved from where it was read to the verified commit, or not at all. When
// it has moved meanwhile the round is begun again, verification included.
//
// The story's branch, its worktree and everybody's checkouts are left as they are: the branch keeps
// its own commits, and the record says what they became (deliveries.ts). Killed anywhere, the next
// call goes on from what it finds; nothing but the last step changes what others see.

import { messageOf, SagaError } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { deliveryOfBranch } from "../../story/definition/names.ts";
import type { Repository } from "../repository.ts";
import type { Amendment } from "../commits/amend-tree.ts";
import { storyFolder } from "../worktree/bring-story.ts";
import { combine, type MergeStyle } from "./combine.ts";
import { readConflict, type Conflict } from "./describe-conflict.ts";
import {
  beginDelivery,
  pendingRef,
  doneRef,
  finishDelivery,
  findArrived,
  readDeliveries,
  recordArrival,
  type Deliveries,
  type Delivery,
  type DeliveryRecord,
} from "../records/delivery-record.ts";
import { recordEpicTip } from "./epic-branch.ts";
import { clearRefLocks } from "../stale-locks.ts";
import { commitOf } from "../refs.ts";
import { clearScratch, fillScratch, openScratch } from "./scratch.ts";
import { advance, readTarget, type BusyCheckout, type Target } from "./target.ts";

export interface DeliverRequest {
  readonly repository: Repository;
  /** `story/<id>` or `epic/<id>`. */
  readonly branch: string;
  /**
   * The commit to deliver, for a branch that serves one task after the other; else the branch's tip. An
   * earlier delivery counts only when it was of this commit.
   */
  readonly tip?: string | undefined;
  readonly target: Target;
  /**
   * Whether the work counts, in a clean checkout of that commit on no branch. Called again when the
   * target has moved. The commit is the same when the same is put together again.
   */
  readonly verify: (folder: string, commit: string, parts: CommitParts) => Promise<Verification>;
  /** Where the story's own commits begin, when that is known: those before are somebody's. */
  readonly start?: string | undefined;
  /** `rebase` unless told otherwise. */
  readonly style?: MergeStyle | undefined;
  /** Whether a clean checkout of the target may be brought up to date with it. */
  readonly updateCheckouts?: boolean | undefined;
  /** The story's epic: its file belongs to the story like its own folder. */
  readonly epicId?: string | undefined;
  /** The stories of an epic's branch: their folders belong to it. */
  readonly storyIds?: readonly string[] | undefined;
  /** Files of Saga's own that change with the delivery. */
  readonly amendment?: Amendment | undefined;
  readonly onStep?: ((step: DeliveryStep) => void) | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** What a verified commit was made of. */
export interface CommitParts {
  readonly tip: string;
  readonly onto: string;
  /** The same commit without Saga's amendment: the work to judge. */
  readonly work: string;
}

export type Verification =
  | { readonly isPassed: true }
  | {
      readonly isPassed: false;
      readonly reason: string;
      readonly receipts?: readonly Receipt[] | undefined;
    };

export interface DeliveryStep {
  readonly name: "read" | "combine" | "verify" | "record" | "advance";
  /** From 1. */
  readonly round: number;
  readonly commit?: string | undefined;
}

export type DeliveryResult =
  /** The target has the story now; `was` is where it stood before. */
  | { readonly kind: "merged"; readonly commit: string; readonly was: string }
  | ({ readonly kind: "conflict" } & Conflict)
  | {
      readonly kind: "refused";
      readonly commit: string;
      readonly reason: string;
      readonly receipts: readonly Receipt[];
    }
  /** Others were faster, time after time. */
  | { readonly kind: "moved"; readonly rounds: number; readonly why: string }
  /**
   * Verified, and the target is checked out in that folder: it is for whoever works there to take it, by
   * `updateCheckouts` or in git's own ways. The commit is kept until then.
   */
  | ({ readonly kind: "checked-out"; readonly commit: string } & BusyCheckout)
  | { readonly kind: "stopped" };

/** A target that moves faster than it can be verified needs other means. */
const MAX_ROUNDS = 3;

export async function deliver(request: DeliverRequest): Promise<DeliveryResult> {
  const { repository, branch, target, stop } = request;
  const storyId = deliveryOfBranch(branch);
  if (storyId === undefined) {
    throw new SagaError(
      "bad-id",
      `${JSON.stringify(branch)} is not the branch of a story or epic.`,
      {
        hint: "Use a form like `story/add-login`.",
      },
    );
  }
  const delivering: DeliveryRun = { ...request, storyId, style: request.style ?? "rebase" };
  await clearLeftovers(repository, storyId);
  try {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const outcome = await deliverOnce(delivering, round);
      if (outcome !== "moved") return outcome;
    }
  } catch (error) {
    // What was cut off says so in its own words.
    if (stop?.aborted) return { kind: "stopped" };
    throw error;
  } finally {
    await clearScratchOrWarn(delivering);
  }
  const why = `${target.branch} was moved by others ${MAX_ROUNDS} times while ${branch} was being verified.`;
  return { kind: "moved", rounds: MAX_ROUNDS, why };
}

/**
 * For a branch that its target is known to have: records that, and clears what a killed call has left. Answers with the
 * commit that brought it there, as far as that is known.
 */
export async function settleArrived(
  repository: Repository,
  delivery: Omit<Delivery, "commit">,
): Promise<string> {
  const { git } = repository;
  const { storyId, tip, onto } = delivery;
  await clearLeftovers(repository, storyId);
  const arrived = await findArrived(git, await readDeliveries(git, storyId), { tip, target: onto });
  if (arrived?.tip !== tip) {
    await recordArrival(git, { ...delivery, commit: onto });
    return onto;
  }
  await settle(git, arrived);
  return arrived.commit;
}

/** Of a call that was killed. */
async function clearLeftovers(repository: Repository, storyId: string): Promise<void> {
  await clearScratch(repository, storyId);
  await clearRefLocks(repository.commonDir, [pendingRef(storyId), doneRef(storyId)]);
}

interface DeliveryRun extends DeliverRequest {
  readonly storyId: string;
  readonly style: MergeStyle;
}

/** What was delivered is delivered, also when its scratch cannot be removed: the next call tries again. */
async function clearScratchOrWarn({ repository, storyId, onWarning }: DeliveryRun): Promise<void> {
  try {
    await clearScratch(repository, storyId);
  } catch (error) {
    onWarning?.(messageOf(error));
  }
}

async function deliverOnce(
  delivering: DeliveryRun,
  round: number,
): Promise<DeliveryResult | "moved"> {
  const { repository, target, verify, stop, storyId, onStep } = delivering;
  const { git } = repository;
  onStep?.({ name: "read", round });
  const onto = await readTarget(repository, target, stop);
  const deliveries = await readDeliveries(git, storyId);
  const tip = await readTip(delivering, deliveries);
  const arrived = await findArrived(git, deliveries, { tip, target: onto });
  if (arrived?.tip === tip) {
    return settle(git, arrived);
  }
  if (stop?.aborted) return { kind: "stopped" };

  onStep?.({ name: "combine", round });
  const scratch = await openScratch(repository, storyId, onto);
  const combined = await combine(scratch, {
    ...delivering,
    tip,
    target: { branch: target.branch, commit: onto },
    arrived,
  });
  const parts = { storyId, target: target.branch, tip, onto };
  if (combined.kind === "conflict") {
    const conflict = { ...combined, tip, onto, arrived };
    return { kind: "conflict", ...(await readConflict(scratch, conflict)) };
  }
  if (combined.kind === "arrived") {
    await recordArrival(git, { ...parts, commit: onto });
    return { kind: "merged", commit: onto, was: onto };
  }
  const { commit, work } = combined;
  await fillScratch(scratch, commit);

  onStep?.({ name: "verify", round, commit });
  const verified = await verify(scratch.folder, commit, { tip, onto, work });
  if (!verified.isPassed) {
    return { kind: "refused", commit, reason: verified.reason, receipts: verified.receipts ?? [] };
  }
  if (stop?.aborted) return { kind: "stopped" };

  onStep?.({ name: "record", round, commit });
  const delivery = await beginDelivery(git, { ...parts, commit });
  const updateCheckouts = delivering.updateCheckouts ?? false;
  const moved = await advance(repository, {
    target,
    from: onto,
    to: commit,
    updateCheckouts,
    own: { storyId: delivering.storyIds?.[0] ?? storyId, folders: ownFolders(delivering), tip },
    onMove: () => onStep?.({ name: "advance", round, commit }),
    onWarning: delivering.onWarning,
    stop,
  });
  switch (moved.kind) {
    case "moved":
      return "moved";
    case "checked-out":
      return { ...moved, commit };
    case "advanced":
      return settle(git, delivery);
  }
}

const ownFolders = ({ storyId, storyIds = [storyId], epicId }: DeliveryRun): string[] => [
  ...storyIds.map(storyFolder),
  ...(epicId === undefined ? [] : [`.saga/epics/${epicId}`]),
];

async function settle(git: Git, delivery: DeliveryRecord): Promise<DeliveryResult> {
  await finishDelivery(git, delivery);
  await recordEpicTip(git, delivery.target, delivery.commit);
  return { kind: "merged", commit: delivery.commit, was: delivery.onto };
}

/** The branch of a story that has arrived may be gone: then what arrived is what counts. */
async function readTip(
  { repository, branch, tip: given }: DeliveryRun,
  { pending, done }: Deliveries,
): Promise<string> {
  if (given !== undefined) return given;
  const tip = (await commitOf(repository.git, `refs/heads/${branch}`)) ?? (done ?? pending)?.tip;
  if (tip !== undefined) return tip;
  throw new SagaError("not-found", `There is no branch ${branch} to deliver.`, {
    hint: "A story gets its branch when it is started: `saga run <story>`.",
  });
}
