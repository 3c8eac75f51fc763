// Merges an epic's branch into its target: puts it in the target's lane, and waits until it has landed there.

import type { Conflict } from "../../repo/compose/describe-conflict.ts";
import { noteMergedEpics } from "../../repo/delivery/merged-epics.ts";
import { whyNotMovable } from "../../repo/delivery/target.ts";
import { DEFAULT_PRIORITY } from "../../story/definition/fields.ts";
import { requireId } from "../../story/definition/names.ts";
import { findEpicBranch, findEpicWork, requireStories } from "./work.ts";
import { waitInLane, type MergeContext, type MergeResult, type MergeOptions } from "../merge.ts";
import type { DeliverContext } from "../story-work.ts";

export type EpicMergeResult =
  | Exclude<MergeResult, { kind: "conflict" }>
  | {
      readonly kind: "conflict";
      readonly conflict: Conflict;
      readonly branch: string;
      readonly into: string;
    };

export async function mergeEpic(
  context: MergeContext,
  epicId: string,
  options: MergeOptions,
): Promise<EpicMergeResult> {
  requireId("epic", epicId);
  const work = await findEpicWork(context, epicId);
  const { settings, repository, target: lane } = work;
  await requireStories(work);
  const updateCheckouts = options.updateCheckouts ?? settings.delivery.updateCheckout;
  const busy = await whyNotMovable(repository, lane, { updateCheckouts });
  if (
    busy &&
    (options.asksFirst || !busy.isUpdatable) &&
    (await findEpicBranch(work)).kind !== "merged"
  ) {
    return { kind: "checked-out", into: lane.branch, commit: undefined, ...busy };
  }
  return waitInLane(
    { ...context, settings, repository },
    {
      kind: "epic",
      name: epicId,
      lane,
      priority: DEFAULT_PRIORITY,
      after: [],
      checks: [],
      updateCheckouts,
    },
  );
}

/** The checkout that a merge of this epic would have to update. Undefined if there is none, or if it is merged. */
export async function findEpicCheckout(context: DeliverContext, epicId: string) {
  const { repository, target } = await findEpicWork(context, epicId);
  if (await noteMergedEpics(context.store, context.env, [epicId])) return undefined;
  const busy = await whyNotMovable(repository, target, { updateCheckouts: false });
  return busy && { ...busy, into: target.branch };
}
