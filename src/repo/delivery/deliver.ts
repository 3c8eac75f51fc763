// Delivers a story's branch into its target: combine, verify, then move the target.
//
// One round: read the target (after a fetch if it is the remote's), combine the two into one commit in git's object
// store, check that commit out in a scratch worktree and verify it there, record the delivery, and move the target
// from the commit that was read to the verified one, or not at all. If the target has moved meanwhile, the next round
// starts, including the verification.
//
// The story's branch, its worktree and people's checkouts stay as they are: the branch keeps its own commits, and
// the record says what they became (records/delivery-record.ts). After a kill the next call continues from what it
// finds; only the last step is visible to others.

import { messageOf, SagaError } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { deliveryOfBranch } from "../../story/definition/names.ts";
import type { Repository } from "../repository.ts";
import type { Amendment } from "../commits/amend-tree.ts";
import { storyFolder } from "../worktree/bring-story.ts";
import type { EditableFile } from "../worktree/uncommitted-edit.ts";
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
   * The commit to deliver, for a branch that is reused from task to task; by default the branch's tip. An earlier
   * delivery counts only if it was of this commit.
   */
  readonly tip?: string | undefined;
  readonly target: Target;
  /**
   * Verifies the commit in a clean, detached checkout. Called again if the target has moved. Combining the same
   * two commits again gives the same commit.
   */
  readonly verify: (folder: string, commit: string, parts: CommitParts) => Promise<Verification>;
  /** Where the story's own commits begin, if known; earlier ones are by others. */
  readonly start?: string | undefined;
  /** `rebase` by default. */
  readonly style?: MergeStyle | undefined;
  /** Whether a clean checkout of the target may be updated. */
  readonly updateCheckouts?: boolean | undefined;
  /** The story's epic: its file belongs to the story like its own folder. */
  readonly epicId?: string | undefined;
  /** A file that may be merged while a person's checkout has uncommitted changes to it. */
  readonly editable?: EditableFile | undefined;
  /** The stories of an epic's branch: their folders belong to it. */
  readonly storyIds?: readonly string[] | undefined;
  /** Changes to Saga's own files that are part of the delivery. */
  readonly amendment?: Amendment | undefined;
  readonly onStep?: ((step: DeliveryStep) => void) | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** What a verified commit was made of. */
export interface CommitParts {
  readonly tip: string;
  readonly onto: string;
  /** The same commit without the amendment, for the gate. */
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
  /** The target has the story now; `was` is its commit from before. */
  | { readonly kind: "merged"; readonly commit: string; readonly was: string }
  | ({ readonly kind: "conflict" } & Conflict)
  | {
      readonly kind: "refused";
      readonly commit: string;
      readonly reason: string;
      readonly receipts: readonly Receipt[];
    }
  /** The target moved in every round. */
  | { readonly kind: "moved"; readonly rounds: number; readonly why: string }
  /**
   * Verified, but the target is checked out in a folder that may not be updated. The record keeps the commit until a
   * person takes it, with `updateCheckouts` or with git.
   */
  | ({ readonly kind: "checked-out"; readonly commit: string } & BusyCheckout)
  | { readonly kind: "stopped" };

/** A target that moves faster than the checks run would never be reached. */
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
  const run: DeliveryRun = { ...request, storyId, style: request.style ?? "rebase" };
  await clearLeftovers(repository, storyId);
  try {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const outcome = await deliverOnce(run, round);
      if (outcome !== "moved") return outcome;
    }
  } catch (error) {
    // Each step reports a stop by its own error.
    if (stop?.aborted) return { kind: "stopped" };
    throw error;
  } finally {
    await clearScratchOrWarn(run);
  }
  const why = `${target.branch} got new commits ${MAX_ROUNDS} times while ${branch} was being checked.`;
  return { kind: "moved", rounds: MAX_ROUNDS, why };
}

/**
 * For a branch that its target is known to contain: records that, and removes what a killed call left. Returns the
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

/** Removes what a killed call left. */
async function clearLeftovers(repository: Repository, storyId: string): Promise<void> {
  await clearScratch(repository, storyId);
  await clearRefLocks(repository.commonDir, [pendingRef(storyId), doneRef(storyId)]);
}

interface DeliveryRun extends DeliverRequest {
  readonly storyId: string;
  readonly style: MergeStyle;
}

/** A failure to remove the scratch does not undo the delivery; the next call tries again. */
async function clearScratchOrWarn({ repository, storyId, onWarning }: DeliveryRun): Promise<void> {
  try {
    await clearScratch(repository, storyId);
  } catch (error) {
    onWarning?.(messageOf(error));
  }
}

async function deliverOnce(run: DeliveryRun, round: number): Promise<DeliveryResult | "moved"> {
  const { repository, target, verify, stop, storyId, onStep } = run;
  const { git } = repository;
  onStep?.({ name: "read", round });
  const onto = await readTarget(repository, target, stop);
  const deliveries = await readDeliveries(git, storyId);
  const tip = await readTip(run, deliveries);
  const arrived = await findArrived(git, deliveries, { tip, target: onto });
  if (arrived?.tip === tip) {
    return settle(git, arrived);
  }
  if (stop?.aborted) return { kind: "stopped" };

  onStep?.({ name: "combine", round });
  const scratch = await openScratch(repository, storyId, onto);
  const combined = await combine(scratch, {
    ...run,
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
  const updateCheckouts = run.updateCheckouts ?? false;
  const moved = await advance(repository, {
    target,
    from: onto,
    to: commit,
    updateCheckouts,
    own: { storyId: run.storyIds?.[0] ?? storyId, folders: ownFolders(run), tip },
    editable: run.editable,
    onMove: () => onStep?.({ name: "advance", round, commit }),
    onWarning: run.onWarning,
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

/** The folders of Saga that a delivery brings. */
export const ownFolders = ({
  storyId,
  storyIds = [storyId],
  epicId,
}: Pick<DeliveryRun, "storyId" | "storyIds" | "epicId">): string[] => [
  ...storyIds.map(storyFolder),
  ...(epicId === undefined ? [] : [`.saga/epics/${epicId}`]),
];

async function settle(git: Git, delivery: DeliveryRecord): Promise<DeliveryResult> {
  await finishDelivery(git, delivery);
  await recordEpicTip(git, delivery.target, delivery.commit);
  return { kind: "merged", commit: delivery.commit, was: delivery.onto };
}

/** The branch of a delivered story may be gone; its record has the tip. */
async function readTip(
  { repository, branch, tip: requested }: DeliveryRun,
  { pending, done }: Deliveries,
): Promise<string> {
  if (requested !== undefined) return requested;
  const tip = (await commitOf(repository.git, `refs/heads/${branch}`)) ?? (done ?? pending)?.tip;
  if (tip !== undefined) return tip;
  throw new SagaError("not-found", `The branch ${branch} does not exist.`, {
    hint: "`saga run <story>` creates a story's branch.",
  });
}
