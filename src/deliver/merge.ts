// Merges a finished story into its target: puts it in the target's lane, and waits until it has landed there.

import { storyInUse } from "../store/leases/in-use.ts";
import type { LandingKinds } from "../landing/landing.ts";
import { requireOutcome } from "../landing/failure.ts";
import { landInLane } from "../landing/wait.ts";
import type { Conflict } from "../repo/compose/describe-conflict.ts";
import type { DeliveryResult } from "../repo/delivery/land.ts";
import { whyNotMovable } from "../repo/delivery/target.ts";
import type { BusyCheckout } from "../repo/delivery/update-checkout.ts";
import { storyLease } from "../store/leases/lease-names.ts";
import type { LeaseState } from "../store/leases/leases.ts";
import type { EntryRequest } from "../story/landing/entry.ts";
import { DEFAULT_PRIORITY } from "../story/definition/fields.ts";
import { requireId } from "../story/definition/names.ts";
import type { ConflictHandover } from "./conflict.ts";
import { findEarlierMerge } from "./earlier-merge.ts";
import { mergedAgain } from "./after-merge.ts";
import type { HandBack } from "./hand-back.ts";
import { shareBranch } from "./elsewhere/share-branch.ts";
import { requireReady } from "./require-ready.ts";
import { findWork, laneOf, type DeliverContext, type StoryWork } from "./story-work.ts";

export interface MergeOptions {
  /** Whether a clean checkout of the target may be updated. By default the setting decides. */
  readonly updateCheckouts?: boolean | undefined;
  /** Returns before any check runs if a checkout may not be updated, so that the caller can ask the person first. */
  readonly asksFirst?: boolean | undefined;
}

export type MergeResult =
  | {
      readonly kind: "merged";
      readonly commit: string;
      readonly into: string;
      /** Merged by an earlier call. */
      readonly wasThere: boolean;
      readonly worktree: string | undefined;
      /** The command that updates the local branch after a merge at the remote. */
      readonly pull?: string | undefined;
      readonly warnings: readonly string[];
    }
  | ({ readonly kind: "conflict"; readonly conflict: Conflict } & ConflictHandover)
  | CheckedOut
  /** Its checks fail on top of its target. With a task, its agent can fix that. */
  | (Extract<DeliveryResult, { kind: "refused" }> & Partial<HandBack>)
  /** A person took it out of the lane. */
  | { readonly kind: "dropped"; readonly by: string }
  | Exclude<DeliveryResult, { kind: "merged" | "conflict" | "checked-out" | "refused" }>;

export interface CheckedOut extends BusyCheckout {
  readonly kind: "checked-out";
  readonly into: string;
  /** The verified commit; undefined when no check was run. */
  readonly commit: string | undefined;
}

/** Who lands other entries of the same lane meanwhile. */
export interface MergeContext extends DeliverContext {
  readonly kinds: LandingKinds;
}

export async function mergeStory(
  context: MergeContext,
  storyId: string,
  options: MergeOptions,
): Promise<MergeResult> {
  requireId("story", storyId);
  await requireFree(context, storyId);
  const before = await findEarlierMerge(context, storyId);
  if (before) return mergedAgain(context, before, options);
  const work = await findWork(context, storyId);
  const { repository, settings, record, epicId } = work;
  // The lander does both again. Here they are for the person: what cannot land is refused at once.
  await requireReady(work);
  const lane = laneOf(work);
  const updateCheckouts = options.updateCheckouts ?? settings.delivery.updateCheckout;
  const busy = await whyNotMovable(repository, lane, { updateCheckouts });
  if (busy && (options.asksFirst || !busy.isUpdatable)) {
    return { kind: "checked-out", into: lane.branch, commit: undefined, ...busy };
  }
  const isShared = (await context.store.queue.machine(lane)) !== undefined;
  return waitInLane(
    { ...context, settings, repository },
    {
      kind: "story",
      name: storyId,
      lane,
      // Others can only land what is at the remote.
      ...(isShared && !(await shareBranch(context, storyId)) && { isLeft: true }),
      priority: record.story.priority ?? DEFAULT_PRIORITY,
      after: await dependenciesOf(context, storyId, epicId),
      checks: record.story.checks,
      updateCheckouts,
    },
  );
}

/** The lander records the outcome as JSON, so it is read back as what the kind of the entry gave. */
export async function waitInLane<R>(
  context: MergeContext & Pick<StoryWork, "settings" | "repository">,
  entry: Omit<EntryRequest, "by">,
): Promise<R | Extract<DeliveryResult, { kind: "stopped" }>> {
  const waited = await landInLane(context, { ...entry, by: "saga merge" });
  if (waited.kind === "stopped") return waited;
  return requireOutcome(waited.value) as R;
}

/** A worker's story is not merged. */
async function requireFree({ store }: DeliverContext, storyId: string): Promise<void> {
  const owner = ownerInTheWay(await store.leases.read(storyLease(storyId)));
  if (owner !== undefined) throw storyInUse(storyId, owner);
}

/** Another command that merges it is no obstacle: both wait in the same lane. */
export const ownerInTheWay = (held: LeaseState | undefined): string | undefined =>
  held?.life === "alive" && held.record.purpose !== "merge" ? held.record.owner : undefined;

/** The stories that its epic puts before it. */
async function dependenciesOf(
  { store }: DeliverContext,
  storyId: string,
  epicId: string | undefined,
): Promise<string[]> {
  if (epicId === undefined) return [];
  const { epic } = await store.readEpic(epicId);
  return [...(epic.children.find(({ id }) => id === storyId)?.blockedBy ?? [])];
}

/** The checkout that a merge of this story would have to update. Undefined if there is none, or if it is merged. */
export async function findCheckout(
  context: DeliverContext,
  storyId: string,
): Promise<(BusyCheckout & { readonly into: string }) | undefined> {
  if (await findEarlierMerge(context, storyId)) return undefined;
  const work = await findWork(context, storyId);
  const target = laneOf(work);
  const busy = await whyNotMovable(work.repository, target, { updateCheckouts: false });
  return busy && { ...busy, into: target.branch };
}
