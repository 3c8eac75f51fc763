// Verifies the next batch of a lane while another process verifies the current one (`queue.parallel`). The processes that
// wait do it, each for one batch at most. It holds no lease of the lane, settles nothing and moves nothing: all that it
// leaves is the receipt of a tree that passed. Killed at any point, it leaves a scratch worktree and processes, which
// the next process in its slot removes.

import { existsSync } from "node:fs";
import { endJudging } from "../gate/end-leftover-checks.ts";
import { judgeChecks, whyNotPassed } from "../gate/story-gate.ts";
import { composeAhead } from "../repo/delivery/compose-ahead.ts";
import { clearScratch, scratchFolder } from "../repo/delivery/scratch.ts";
import { laneLease } from "../store/leases/lease-names.ts";
import { waitForLease } from "../store/leases/wait-for-lease.ts";
import {
  isUseful,
  planAhead,
  slotsFor,
  type Ahead,
  type AheadFacts,
} from "../story/landing/check-ahead.ts";
import type { Entry, Lane } from "../story/landing/entry.ts";
import { aheadId, laneId } from "./lane-id.ts";
import type { LaneContext, LandingWork } from "./landing.ts";
import { prepareEntries, takeTogether } from "./prepare-batch.ts";
import { landableHere } from "./shared-lane.ts";
import { gateWork, unionOfChecks } from "./verify-batch.ts";

const POLL_MS = 500;

/** False if there is nothing to verify, or no slot. `isWaiting`: whether the caller's own entry still has no outcome. */
export async function verifyAhead(
  context: LaneContext,
  lane: Lane,
  isWaiting: () => Promise<boolean>,
): Promise<boolean> {
  const { parallel } = context.settings.queue;
  if (parallel < 2 || !context.settings.gate.reuseReceipts) return false;
  if ((await nextPlan(context, lane)) === undefined) return false;
  const slots = slotsFor(await aheadFacts(context, lane), parallel);
  for (let slot = 1; slot <= slots; slot++) {
    const verified = await withSlot(context, { lane, slot }, () =>
      verifyIn(context, { lane, slot }, isWaiting),
    );
    if (verified !== undefined) return verified;
  }
  return false;
}

interface Slot {
  readonly lane: Lane;
  readonly slot: number;
}

/** Undefined if another process has the slot. */
async function withSlot<R>(
  { store, stop }: LaneContext,
  { lane, slot }: Slot,
  act: () => Promise<R>,
): Promise<R | undefined> {
  const id = aheadId(lane, slot);
  const waited = await waitForLease(store.leases, laneLease(id), {
    owner: "saga merge",
    purpose: "merge",
    maxWaitMs: 0,
    pollMs: POLL_MS,
    stop,
  });
  if (waited.kind !== "taken") return undefined;
  try {
    return await act();
  } finally {
    await waited.lease.release();
  }
}

async function nextPlan(context: LaneContext, lane: Lane, own?: number) {
  const { store, settings } = context;
  const facts = await aheadFacts(context, lane, own);
  if (facts.now === undefined) return undefined;
  const entries = await landableHere(store.queue, lane, await store.queue.list(lane));
  return planAhead(facts, entries, settings.queue.batch);
}

/** Read by the lander too. `own`: the slot of this process, whose old result does not count. */
export async function aheadFacts(
  { store: { queue, leases } }: Pick<LaneContext, "store">,
  lane: Lane,
  own?: number,
): Promise<AheadFacts> {
  const isAlive = async (id: string): Promise<boolean> =>
    (await leases.read(laneLease(id)))?.life === "alive";
  const aheads: Ahead[] = [];
  for (const ahead of await queue.aheads(lane)) {
    const { slot, isPassed } = ahead;
    if (slot === own) continue;
    if (isPassed !== undefined || (await isAlive(aheadId(lane, slot)))) aheads.push(ahead);
  }
  const now = (await isAlive(laneId(lane))) ? await queue.now(lane) : undefined;
  // What another machine has composed is not here to build on.
  const isHere = now?.machine === undefined || now.machine === (await queue.machine(lane));
  return {
    // A killed lander leaves what it did.
    now: isHere ? now : undefined,
    lastBatch: (await queue.history(lane)).at(-1),
    aheads,
  };
}

async function verifyIn(
  context: LaneContext,
  { lane, slot }: Slot,
  isWaiting: () => Promise<boolean>,
): Promise<boolean> {
  const { store, repository } = context;
  const { queue } = store;
  const id = aheadId(lane, slot);
  const plan = await nextPlan(context, lane, slot);
  if (plan === undefined) return false;
  await clearSlot(context, { lane, slot });
  try {
    const composed = await composeBatch(context, { lane, slot }, plan);
    const tip = composed?.candidates.at(-1)?.commit;
    if (composed === undefined || tip === undefined) return false;
    const entries = composed.candidates.map(({ entry }) => entry.entry.name);
    const startedAt = new Date(context.now()).toISOString();
    const ahead: Ahead = { slot, onto: plan.onto, tip, entries, startedAt };
    await queue.setAhead(lane, slot, ahead);
    const works = composed.candidates.map(({ entry }) => entry);
    const isPassed = await whileUseful(context, { lane, ahead, isWaiting }, async (stop) => {
      const commands = unionOfChecks(works);
      const work = gateWork(
        { context: { ...context, stop, onStep: undefined }, laneId: id },
        { commands, candidate: works.length, isFirst: true, isThorough: false },
      );
      const judged = await judgeChecks(work, { commit: tip }, await composed.checkOut());
      return whyNotPassed(judged) === undefined;
    });
    // The lane may be empty by now, with no process left to remove the result.
    const isOfUse = isPassed !== undefined && (await isWaiting());
    await queue.setAhead(lane, slot, isOfUse ? { ...ahead, isPassed } : undefined);
    return isPassed !== undefined;
  } finally {
    await clearScratch(repository, id);
  }
}

/** The entries are read as the lander will read them; their leases are held only while they are composed. */
async function composeBatch(
  context: LaneContext,
  { lane, slot }: Slot,
  { onto, batch }: { readonly onto: string; readonly batch: readonly Entry[] },
) {
  const works = await takeTogether(await prepareEntries(context, lane, batch));
  try {
    const [first] = works;
    if (first === undefined || first.landsAlone) return undefined;
    return await composeAhead<LandingWork>({
      repository: context.repository,
      scratch: aheadId(lane, slot),
      branch: lane.branch,
      onto,
      entries: works,
    });
  } finally {
    for (const work of works) await work.release();
  }
}

interface Verification {
  readonly lane: Lane;
  readonly ahead: Ahead;
  readonly isWaiting: () => Promise<boolean>;
}

/** Stops the checks as soon as they cannot be of use any more. Undefined if they were stopped. */
async function whileUseful(
  context: LaneContext,
  { lane, ahead, isWaiting }: Verification,
  act: (stop: AbortSignal) => Promise<boolean>,
): Promise<boolean | undefined> {
  const useless = new AbortController();
  const done = new AbortController();
  const signals = [useless.signal, ...(context.stop ? [context.stop] : [])];
  const stop = AbortSignal.any(signals);
  const watch = context.store.queue.watch(lane);
  const look = async (): Promise<void> => {
    while (!done.signal.aborted && !useless.signal.aborted) {
      const facts = await aheadFacts(context, lane, ahead.slot);
      if (!isUseful(ahead, facts) || !(await isWaiting())) useless.abort();
      await watch.next(POLL_MS, done.signal);
    }
  };
  const looking = look().catch(() => useless.abort());
  try {
    return await act(stop);
  } catch (error) {
    if (stop.aborted) return undefined;
    throw error;
  } finally {
    done.abort();
    await looking;
    watch.close();
  }
}

/** What a killed process left in the slot. Call it with the slot's lease. */
async function clearSlot({ store, repository }: LaneContext, { lane, slot }: Slot): Promise<void> {
  const id = aheadId(lane, slot);
  await endJudging(store.project, id);
  await store.queue.setAhead(lane, slot, undefined);
  await clearScratch(repository, id);
}

/** By the lander, before and after a batch: what dead processes left, and results that no batch can use any more. */
export async function clearAheads(context: LaneContext, lane: Lane): Promise<void> {
  const facts = { ...(await aheadFacts(context, lane)), now: undefined };
  const aheads = await context.store.queue.aheads(lane);
  const isKept = ({ isPassed, ...ahead }: Ahead): boolean =>
    isPassed === true && isUseful(ahead, facts);
  const useless = aheads.filter((ahead) => !isKept(ahead)).map(({ slot }) => slot);
  // A process that was killed before it had composed its batch left only its worktree.
  const slots = Array.from({ length: context.settings.queue.parallel }, (_, at) => at + 1);
  const withScratch = slots.filter((slot) =>
    existsSync(scratchFolder(context.repository, aheadId(lane, slot))),
  );
  for (const slot of new Set([...useless, ...withScratch])) {
    // A living process has its lease.
    await withSlot(context, { lane, slot }, () => clearSlot(context, { lane, slot }));
  }
}

/** By the lander: waits while another process verifies this candidate. Its receipts count then. */
export async function waitForAhead(context: LaneContext, lane: Lane, tip: string): Promise<void> {
  const watch = context.store.queue.watch(lane);
  try {
    while (!context.stop?.aborted) {
      const { aheads } = await aheadFacts(context, lane);
      if (!aheads.some((one) => one.tip === tip && one.isPassed === undefined)) return;
      await watch.next(POLL_MS, context.stop);
    }
  } finally {
    watch.close();
  }
}
