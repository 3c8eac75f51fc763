// Takes what the entries of a batch need, and reads them again. All at once: each needs a dozen git processes.

import { inParallel } from "../machine/processes/in-parallel.ts";
import { whyNotMovable } from "../repo/delivery/target.ts";
import type { BusyCheckout } from "../repo/delivery/update-checkout.ts";
import type { Entry, Lane } from "../story/landing/entry.ts";
import { failureOf } from "./failure.ts";
import type { LaneContext, LandingWork, Preparation } from "./landing.ts";

interface PreparedEntry {
  readonly entry: Entry;
  readonly prepared: Preparation;
}

/** Settles what cannot land. The entries after one that must land alone wait for the next batch. */
export async function prepareBatch(
  context: LaneContext,
  lane: Lane,
  batch: readonly Entry[],
): Promise<{ readonly works: readonly LandingWork[]; readonly settled: number }> {
  const entries = await prepareEntries(context, lane, batch);
  let settled = 0;
  for (const { entry, prepared } of entries) {
    if (prepared.kind === "wait") context.onStep?.(`${entry.name}: ${prepared.why}`);
    if (prepared.kind !== "settled") continue;
    await context.store.queue.settle(entry, prepared.outcome);
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
  let checkout: Promise<BusyCheckout | undefined> | undefined;
  const busyCheckout = (): Promise<BusyCheckout | undefined> =>
    (checkout ??= whyNotMovable(context.repository, lane, { updateCheckouts: false }));
  return inParallel(batch, async (entry) => {
    const prepared = await context.kinds[entry.kind]({ ...context, busyCheckout }, entry).catch(
      (error: unknown): Preparation => ({ kind: "settled", outcome: failureOf(error) }),
    );
    return { entry, prepared };
  });
}
