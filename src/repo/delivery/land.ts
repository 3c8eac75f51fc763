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
import type { Git } from "../../machine/programs/git.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { deliveryOfBranch } from "../../story/definition/names.ts";
import type { Repository } from "../repository.ts";
import type { Amendment } from "../commits/amend-tree.ts";
import { storyFolder } from "../worktree/bring-story.ts";
import type { EditableFile } from "../worktree/uncommitted-edit.ts";
import { combine, type Combined, type MergeStyle } from "./combine.ts";
import { readConflict, type Conflict } from "./describe-conflict.ts";
import {
  beginDelivery,
  pendingRef,
  doneRef,
  finishDelivery,
  findArrived,
  readDeliveries,
  recordArrival,
  type Delivery,
  type DeliveryRecord,
} from "../records/delivery-record.ts";
import { recordEpicTip } from "./epic-branch.ts";
import { clearRefLocks } from "../stale-locks.ts";
import { commitOf } from "../refs.ts";
import { clearScratch, fillScratch, openScratch } from "./scratch.ts";
import { advance, readTarget, type BusyCheckout, type Target } from "./target.ts";

export interface LandEntry {
  /** `story/<id>` or `epic/<id>`. */
  readonly branch: string;
  /**
   * The commit to land, for a branch that is reused from task to task; by default the branch's tip. An earlier
   * delivery counts only if it was of this commit.
   */
  readonly tip?: string | undefined;
  /** Where the story's own commits begin, if known; earlier ones are by others. */
  readonly start?: string | undefined;
  /** `rebase` by default. */
  readonly style?: MergeStyle | undefined;
  /** The story's epic: its file belongs to the story like its own folder. */
  readonly epicId?: string | undefined;
  /** A file that may be merged while a person's checkout has uncommitted changes to it. */
  readonly editable?: EditableFile | undefined;
  /** The stories of an epic's branch: their folders belong to it. */
  readonly storyIds?: readonly string[] | undefined;
  /** Changes to Saga's own files that are part of the delivery. */
  readonly amendment?: Amendment | undefined;
  /** What a person should know about its own files. */
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

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
  readonly onStep?: ((step: LandStep) => void) | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** What a candidate was made of. */
export interface CommitParts {
  readonly tip: string;
  readonly onto: string;
  /** The same commit without the amendment, for the gate. */
  readonly work: string;
}

export interface LandCandidate<E extends LandEntry> extends CommitParts {
  readonly entry: E;
  readonly commit: string;
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
  /** The target has it now; `was` is the commit it was put on. */
  | { readonly kind: "merged"; readonly commit: string; readonly was: string }
  | ({ readonly kind: "conflict" } & Conflict)
  /** It conflicts with an earlier entry, or needs what that brings: it can be tried again. */
  | { readonly kind: "behind"; readonly branch: string }
  /** Not among the candidates that the caller let land. */
  | { readonly kind: "not-verified" }
  /** The target moved in every round. */
  | { readonly kind: "moved"; readonly rounds: number; readonly why: string }
  /**
   * Verified, but the target is checked out in a folder that may not be updated. The record keeps the commit until a
   * person takes it, with `updateCheckouts` or with git.
   */
  | ({ readonly kind: "checked-out"; readonly commit: string } & BusyCheckout)
  | { readonly kind: "stopped" };

/** For one entry alone: what it can come to. */
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

/** Removes what a killed call left. */
async function clearLeftovers(
  repository: Repository,
  scratch: string,
  storyIds: readonly string[],
): Promise<void> {
  await clearScratch(repository, scratch);
  const refs = storyIds.flatMap((id) => [pendingRef(id), doneRef(id)]);
  await clearRefLocks(repository.commonDir, refs);
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

interface NamedEntry<E extends LandEntry> {
  readonly entry: E;
  readonly storyId: string;
}

type NamedCandidate<E extends LandEntry> = LandCandidate<E> & NamedEntry<E>;

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
  const open = await settleArrived(git, entries, { onto, results, repository });
  if (open.length === 0) return "done";
  if (stop?.aborted) return "stopped";

  onStep?.({ name: "combine", round });
  let scratch = await openScratch(repository, request.scratch, onto);
  const candidates: NamedCandidate<E>[] = [];
  for (const one of open) {
    const composed = await compose(scratch, one, { request, onto, before: candidates });
    if (composed.kind === "candidate") candidates.push(composed.candidate);
    else results.set(one.entry, composed.result);
  }
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
  const records: [E, DeliveryRecord][] = [];
  for (const { entry, storyId, tip, onto: before, commit } of verified) {
    const delivery = { storyId, target: target.branch, tip, onto: before, commit };
    records.push([entry, await beginDelivery(git, delivery)]);
  }
  const moved = await advance(repository, {
    target,
    from: onto,
    to: last.commit,
    updateCheckouts: request.updateCheckouts ?? false,
    own: verified.map(ownFiles),
    editable: editablesOf(verified),
    onMove: () => onStep?.({ name: "advance", round, commit: last.commit }),
    onWarning: request.onWarning,
    stop,
  });
  switch (moved.kind) {
    case "moved":
      return "moved";
    case "checked-out":
      for (const { entry, commit } of verified) results.set(entry, { ...moved, commit });
      return "done";
    case "advanced":
      for (const [entry, record] of records) results.set(entry, await settle(git, record));
      return "done";
  }
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

async function settle(git: Git, delivery: DeliveryRecord) {
  await finishDelivery(git, delivery);
  await recordEpicTip(git, delivery.target, delivery.commit);
  return { kind: "merged", commit: delivery.commit, was: delivery.onto } as const;
}

interface ReadEntry<E extends LandEntry> extends NamedEntry<E> {
  readonly tip: string;
  readonly arrived: DeliveryRecord | undefined;
}

/** Finishes the deliveries that a killed call had brought into the target. Returns the entries that are left. */
async function settleArrived<E extends LandEntry>(
  git: Git,
  entries: readonly NamedEntry<E>[],
  {
    onto,
    results,
    repository,
  }: Pick<Round<E>, "results"> & { readonly onto: string; readonly repository: Repository },
): Promise<ReadEntry<E>[]> {
  const open: ReadEntry<E>[] = [];
  for (const { entry, storyId } of entries) {
    const deliveries = await readDeliveries(git, storyId);
    // The branch of a delivered story may be gone; its record has the tip.
    const tip =
      entry.tip ??
      (await commitOf(repository.git, `refs/heads/${entry.branch}`)) ??
      (deliveries.done ?? deliveries.pending)?.tip;
    if (tip === undefined) throw noBranch(entry.branch);
    const arrived = await findArrived(git, deliveries, { tip, target: onto });
    if (arrived?.tip === tip) results.set(entry, await settle(git, arrived));
    else open.push({ entry, storyId, tip, arrived });
  }
  return open;
}

const noBranch = (branch: string): SagaError =>
  new SagaError("not-found", `The branch ${branch} does not exist.`, {
    hint: "`saga run <story>` creates a story's branch.",
  });

type ComposedEntry<E extends LandEntry> =
  | { readonly kind: "candidate"; readonly candidate: NamedCandidate<E> }
  | { readonly kind: "result"; readonly result: LandedEntry };

interface Composition<E extends LandEntry> {
  readonly request: LandRequest<E>;
  readonly onto: string;
  readonly before: readonly NamedCandidate<E>[];
}

/** Puts an entry on top of the candidates before it. */
async function compose<E extends LandEntry>(
  git: Git,
  one: ReadEntry<E>,
  { request, onto, before }: Composition<E>,
): Promise<ComposedEntry<E>> {
  const { entry, storyId, tip, arrived } = one;
  const { target } = request;
  const on = (commit: string): Promise<Combined> =>
    combine(git, {
      ...entry,
      storyId,
      style: entry.style ?? "rebase",
      tip,
      target: { branch: target.branch, commit },
      arrived,
    });
  const last = before.at(-1);
  const top = last?.commit ?? onto;
  const combined = await on(top);
  if (combined.kind === "ready") {
    return { kind: "candidate", candidate: { ...one, ...combined, onto: top } };
  }
  if (last !== undefined) {
    const alone = await on(onto);
    const { branch } = last.entry;
    if (alone.kind === "ready") return { kind: "result", result: { kind: "behind", branch } };
    return { kind: "result", result: await resultOf(alone) };
  }
  return { kind: "result", result: await resultOf(combined) };

  async function resultOf(other: Exclude<Combined, { kind: "ready" }>): Promise<LandedEntry> {
    if (other.kind === "arrived") {
      const delivery = { storyId, target: target.branch, tip, onto, commit: onto };
      await recordArrival(request.repository.git, delivery);
      return { kind: "merged", commit: onto, was: onto };
    }
    const conflict = { ...other, tip, onto, arrived };
    return { kind: "conflict", ...(await readConflict(git, conflict)) };
  }
}

/**
 * For a branch that its target is known to contain: records that, and removes what a killed call left. Returns the
 * commit that brought it there, as far as that is known.
 */
export async function settleMerged(
  repository: Repository,
  delivery: Omit<Delivery, "commit">,
): Promise<string> {
  const { git } = repository;
  const { storyId, tip, onto } = delivery;
  await clearLeftovers(repository, storyId, [storyId]);
  const arrived = await findArrived(git, await readDeliveries(git, storyId), { tip, target: onto });
  if (arrived?.tip !== tip) {
    await recordArrival(git, { ...delivery, commit: onto });
    return onto;
  }
  await settle(git, arrived);
  return arrived.commit;
}
