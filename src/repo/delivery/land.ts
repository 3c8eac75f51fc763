// Lands finished branches on their target together, like a group commit.
//
// One round: read the target (after a fetch if it is the remote's), put each branch on top of the one before in git's
// object store, let the caller verify these candidates in a scratch worktree, record the deliveries, and move the
// target from the commit that was read to the last verified candidate, or not at all. If the target has moved
// meanwhile, the next round starts, including the verification.
//
// The branches, their worktrees and people's checkouts stay as they are: a branch keeps its own commits, and the
// record says what they became (records/delivery-record.ts). After a kill the next call continues from what it finds;
// only the last step is visible to others.

import { messageOf, SagaError } from "../../errors.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { deliveryOfBranch } from "../../story/definition/names.ts";
import {
  compose,
  type LandCandidate,
  type LandEntry,
  type LeftOut,
  type NamedCandidate,
  type NamedEntry,
  type ReadEntry,
} from "../compose/compose.ts";
import type { Repository } from "../repository.ts";
import { inParallel } from "../../machine/processes/in-parallel.ts";
import {
  beginDelivery,
  finishDelivery,
  recordArrival,
  type DeliveryRecord,
} from "../records/delivery-record.ts";
import { storyFolder } from "../worktree/bring-story.ts";
import type { EditableFile } from "../worktree/uncommitted-edit.ts";
import { clearLeftovers, settle, settleArrived, type MergedEntry } from "./already-merged.ts";
import { clearScratch, fillScratch, openScratch } from "./scratch.ts";
import type { LaneFence } from "../sharing/lane-fence.ts";
import { advance, readTarget, type FencedPush, type Target } from "./target.ts";
import type { BusyCheckout } from "./update-checkout.ts";

export interface LandRequest<E extends LandEntry> {
  readonly repository: Repository;
  readonly target: Target;
  /** In the order in which they are put on top of each other. */
  readonly entries: readonly E[];
  /** Names the scratch worktree. One call at a time uses it. */
  readonly scratch: string;
  /** Called again if the target has moved. Combining the same commits again gives the same candidates. */
  readonly verify: (candidates: Candidates<E>) => Promise<VerifiedBatch>;
  /** Whether a clean checkout of the target may be updated. */
  readonly updateCheckouts?: boolean | undefined;
  /** Of the lane, if the machines of a fleet share it. */
  readonly fence?: LaneFence | undefined;
  readonly onStep?: ((step: LandStep) => void) | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
  readonly stop?: AbortSignal | undefined;
}

export interface Candidates<E extends LandEntry> {
  /** The target's commit. */
  readonly onto: string;
  readonly list: readonly LandCandidate<E>[];
  /** Checks a commit out in a clean folder, and returns the folder. */
  readonly checkOut: (commit: string) => Promise<string>;
}

/** How many of the candidates land, from the first. */
export interface VerifiedBatch {
  readonly landing: number;
}

export interface LandStep {
  readonly name: "read" | "combine" | "verify" | "record" | "advance";
  /** From 1. */
  readonly round: number;
  readonly commit?: string | undefined;
}

export type LandedEntry =
  | MergedEntry
  | Exclude<LeftOut, { kind: "arrived" }>
  /** Not among the candidates that the caller let land. */
  | { readonly kind: "not-verified" }
  /** The target moved in every round. */
  | { readonly kind: "moved"; readonly rounds: number; readonly why: string }
  /**
   * Verified, but the target is checked out in a folder that may not be updated. The record keeps the commit until a
   * person takes it, with `updateCheckouts` or with git.
   */
  | ({ readonly kind: "checked-out"; readonly commit: string } & BusyCheckout)
  /** `isUncertain`: another process was killed while it landed the entry, and may have moved the target. */
  | { readonly kind: "stopped"; readonly isUncertain?: boolean };

/** For one entry alone: its possible results. */
export type DeliveryResult =
  | Exclude<LandedEntry, { kind: "behind" | "not-verified" }>
  | {
      readonly kind: "refused";
      readonly commit: string;
      readonly reason: string;
      readonly receipts: readonly Receipt[];
    };

/** A target that moves faster than the checks run would never be reached. */
const MAX_ROUNDS = 3;

/** One result per entry, in their order. */
export async function land<E extends LandEntry>(
  request: LandRequest<E>,
): Promise<readonly LandedEntry[]> {
  const { repository, target, entries, scratch, stop } = request;
  const named = entries.map((entry) => ({ entry, storyId: requireDelivery(entry.branch) }));
  const results = new Map<E, LandedEntry>();
  const allAs = (result: LandedEntry): readonly LandedEntry[] =>
    entries.map((entry) => results.get(entry) ?? result);
  await clearLeftovers(
    repository,
    scratch,
    named.map(({ storyId }) => storyId),
  );
  try {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const open = named.filter(({ entry }) => results.get(entry)?.kind !== "merged");
      for (const { entry } of open) results.delete(entry);
      const end = await landOnce(request, open, { round, results });
      if (end === "done") return allAs({ kind: "not-verified" });
      if (end === "stopped") return allAs({ kind: "stopped" });
    }
  } catch (error) {
    // Each step reports a stop by its own error.
    if (stop?.aborted) return allAs({ kind: "stopped" });
    throw error;
  } finally {
    await clearScratchOrWarn(request);
  }
  const branches = entries.map(({ branch }) => branch).join(", ");
  const why = `${target.branch} got new commits ${MAX_ROUNDS} times while ${branches} was being checked.`;
  return allAs({ kind: "moved", rounds: MAX_ROUNDS, why });
}

function requireDelivery(branch: string): string {
  const storyId = deliveryOfBranch(branch);
  if (storyId !== undefined) return storyId;
  throw new SagaError("bad-id", `${JSON.stringify(branch)} is not the branch of a story or epic.`, {
    hint: "Use a form like `story/add-login`.",
  });
}

/** A failure to remove the scratch does not undo a delivery; the next call tries again. */
async function clearScratchOrWarn<E extends LandEntry>({
  repository,
  scratch,
  onWarning,
}: LandRequest<E>): Promise<void> {
  try {
    await clearScratch(repository, scratch);
  } catch (error) {
    onWarning?.(messageOf(error));
  }
}

interface Round<E extends LandEntry> {
  readonly round: number;
  /** Filled by the round. */
  readonly results: Map<E, LandedEntry>;
}

async function landOnce<E extends LandEntry>(
  request: LandRequest<E>,
  entries: readonly NamedEntry<E>[],
  { round, results }: Round<E>,
): Promise<"done" | "moved" | "stopped"> {
  const { repository, target, stop, onStep } = request;
  const { git } = repository;
  onStep?.({ name: "read", round });
  const onto = await readTarget(repository, target, stop);
  const { merged, open } = await settleArrived(git, entries, onto);
  for (const [entry, result] of merged) results.set(entry, result);
  if (open.length === 0) return "done";
  if (stop?.aborted) return "stopped";

  onStep?.({ name: "combine", round });
  let scratch = await openScratch(repository, request.scratch, onto);
  const { candidates, leftOut } = await compose(scratch, open, { branch: target.branch, onto });
  for (const [one, why] of leftOut)
    results.set(one.entry, await leave(request, { one, why, onto }));
  if (candidates.length === 0) return "done";

  onStep?.({ name: "verify", round, commit: candidates.at(-1)?.commit });
  let isUsed = false;
  const checkOut = async (commit: string): Promise<string> => {
    // What the checks of another candidate left must not be seen.
    if (isUsed) scratch = await openScratch(repository, request.scratch, onto);
    isUsed = true;
    await fillScratch(scratch, commit);
    return scratch.folder;
  };
  const { landing } = await request.verify({ onto, list: candidates, checkOut });
  const verified = candidates.slice(0, landing);
  const last = verified.at(-1);
  if (last === undefined) return "done";
  if (stop?.aborted) return "stopped";

  onStep?.({ name: "record", round, commit: last.commit });
  const records = await inParallel(
    verified,
    async ({ entry, storyId, tip, onto: before, commit }): Promise<[E, DeliveryRecord]> => {
      const delivery = { storyId, target: target.branch, tip, onto: before, commit };
      return [entry, await beginDelivery(git, delivery)];
    },
  );
  const moved = await advance(repository, {
    target,
    from: onto,
    to: last.commit,
    updateCheckouts: request.updateCheckouts ?? false,
    own: verified.map(ownFiles),
    editable: editablesOf(verified),
    fenced: fencedPush(request, verified),
    onMove: () => onStep?.({ name: "advance", round, commit: last.commit }),
    onWarning: request.onWarning,
    stop,
  });
  switch (moved.kind) {
    case "moved":
      return "moved";
    case "outdated":
      return "stopped";
    case "checked-out":
      for (const { entry, commit } of verified) results.set(entry, { ...moved, commit });
      return "done";
    case "advanced":
      await inParallel(records, ([, record]) => finishDelivery(git, record));
      // All but their epic's last known commit is recorded by now: one after the other.
      for (const [entry, record] of records) results.set(entry, await settle(git, record));
      return "done";
  }
}

/** The remote keeps what the push brings, for the next lander if this one is killed right after it. */
function fencedPush<E extends LandEntry>(
  { fence }: LandRequest<E>,
  verified: readonly NamedCandidate<E>[],
): FencedPush | undefined {
  if (fence === undefined) return undefined;
  const owners = verified.flatMap(({ entry }) => entry.owner ?? []);
  const landed = verified.map(({ storyId, tip, onto, commit }) => ({ storyId, tip, onto, commit }));
  return (push) => fence.push({ ...push, owners, landed });
}

interface LeftEntry<E extends LandEntry> {
  readonly one: ReadEntry<E>;
  readonly why: LeftOut;
  readonly onto: string;
}

async function leave<E extends LandEntry>(
  { repository, target }: LandRequest<E>,
  { one: { storyId, tip }, why, onto }: LeftEntry<E>,
): Promise<LandedEntry> {
  if (why.kind !== "arrived") return why;
  const delivery = { storyId, target: target.branch, tip, onto, commit: onto };
  await recordArrival(repository.git, delivery);
  return { kind: "merged", commit: onto, was: onto };
}

const ownFiles = <E extends LandEntry>({ entry, storyId, tip }: NamedCandidate<E>) => ({
  storyId: entry.storyIds?.[0] ?? storyId,
  tip,
  onWarning: entry.onWarning,
  folders: ownFolders({ ...entry, storyId }),
});

/** The folders of Saga that a delivery brings. */
export const ownFolders = ({
  storyId,
  storyIds = [storyId],
  epicId,
}: Pick<LandEntry, "storyIds" | "epicId"> & { readonly storyId: string }): string[] => [
  ...storyIds.map(storyFolder),
  ...(epicId === undefined ? [] : [`.saga/epics/${epicId}`]),
];

/** Each file once: several stories of an epic may land together. */
const editablesOf = <E extends LandEntry>(
  candidates: readonly NamedCandidate<E>[],
): EditableFile[] => [
  ...new Map(
    candidates.flatMap(({ entry: { editable } }) =>
      editable === undefined ? [] : [[editable.path, editable] as const],
    ),
  ).values(),
];
