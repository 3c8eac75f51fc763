// Takes what the entries of a batch need, and reads them again. All at once: each needs a dozen git processes.

import { inParallel } from "../machine/processes/in-parallel.ts";
import { whyNotMovable } from "../repo/delivery/target.ts";
import type { BusyCheckout } from "../repo/delivery/update-checkout.ts";
import { readRemoteRefs } from "../repo/remote-branch.ts";
import { leaseRef } from "../repo/sharing/lease-ref.ts";
import { isElsewhere } from "../story/landing/landed.ts";
import { storyBranch } from "../story/definition/names.ts";
import type { Entry, Lane } from "../story/landing/entry.ts";
import { failureOf } from "./failure.ts";
import type {
  BatchContext,
  LaneContext,
  LandingContext,
  LandingWork,
  Preparation,
} from "./landing.ts";

interface PreparedEntry {
  readonly entry: Entry;
  readonly prepared: Preparation;
}

/**
 * Settles what cannot land; of another machine's entry only that machine can say why. The entries after one that must land
 * alone wait for the next batch.
 */
export async function prepareBatch(
  context: LaneContext,
  lane: Lane,
  batch: readonly Entry[],
): Promise<{ readonly works: readonly LandingWork[]; readonly settled: number }> {
  const { queue } = context.store;
  const own = await queue.machine(lane);
  const entries = await prepareEntries(context, lane, batch);
  let settled = 0;
  for (const { entry, prepared } of entries) {
    if (prepared.kind === "wait") context.onStep?.(`${entry.name}: ${prepared.why}`);
    if (prepared.kind !== "settled") continue;
    if (isElsewhere(entry, own)) await queue.leave(entry);
    else await queue.settle(entry, prepared.outcome);
    settled++;
  }
  return { works: await takeTogether(entries), settled };
}

/** The works that land together. The others are released. */
export async function takeTogether(entries: readonly PreparedEntry[]): Promise<LandingWork[]> {
  const works: LandingWork[] = [];
  let isClosed = false;
  for (const { prepared } of entries) {
    if (prepared.kind !== "ready") continue;
    const { work } = prepared;
    isClosed ||= work.landsAlone && works.length > 0;
    if (isClosed) await work.release();
    else works.push(work);
    isClosed ||= work.landsAlone;
  }
  return works;
}

/** An error becomes the outcome of its entry. */
export function prepareEntries(
  context: LaneContext,
  lane: Lane,
  batch: readonly Entry[],
): Promise<readonly PreparedEntry[]> {
  const batchContext = newBatchContext(context, lane, batch);
  return inParallel(batch, async (entry) => {
    const prepared = await context.kinds[entry.kind](batchContext, entry).catch(
      (error: unknown): Preparation => ({ kind: "settled", outcome: failureOf(error) }),
    );
    return { entry, prepared };
  });
}

export function newBatchContext(
  context: LandingContext,
  lane: Lane,
  batch: readonly Entry[],
): BatchContext {
  const { repository, stop } = context;
  let checkout: Promise<BusyCheckout | undefined> | undefined;
  let refs: Promise<ReadonlyMap<string, string>> | undefined;
  const stories = batch.filter(({ kind }) => kind === "story").map(({ name }) => name);
  const patterns = stories.flatMap((id) => [`refs/heads/${storyBranch(id)}`, leaseRef(id)]);
  return {
    ...context,
    busyCheckout: () => (checkout ??= whyNotMovable(repository, lane, { updateCheckouts: false })),
    remoteRefs: () => (refs ??= readRemoteRefs(repository, patterns, stop)),
  };
}
