// Lands the next batch of a lane. Its caller owns the lane's lease.
//
// Every step can be killed. What a killed lander left is found again: an entry stays in the queue until its outcome is
// written, and an entry whose work is in the target by then is settled as landed.

import { endJudging } from "../gate/end-leftover-checks.ts";
import { whyNotPassed } from "../gate/story-gate.ts";
import { land, type Candidates, type LandedEntry } from "../repo/delivery/land.ts";
import type { LaneFence } from "../repo/sharing/lane-fence.ts";
import { isElsewhere } from "../story/landing/landed.ts";
import { keepLanding, removeOldTreeReceipts } from "../store/runs/tree-receipts.ts";
import { alignWithAhead } from "../story/landing/check-ahead.ts";
import type { Lane } from "../story/landing/entry.ts";
import { isGathering, QUIET_MS } from "../story/landing/batch-window.ts";
import { nextBatch } from "../story/landing/next-batch.ts";
import { inParallel } from "../machine/processes/in-parallel.ts";
import { failureOf } from "./failure.ts";
import { laneId } from "./lane-id.ts";
import { aheadFacts, clearAheads, waitForAhead } from "./verify-ahead.ts";
import type { LaneContext, LandingWork, Refused } from "./landing.ts";
import { prepareBatch } from "./prepare-batch.ts";
import { newProgress, type Progress } from "./progress.ts";
import { landableHere, openLaneFence, settleElsewhere, settleLastLanding } from "./shared-lane.ts";
import { stepText } from "./step-text.ts";
import { verifyBatch, type BatchVerdict } from "./verify-batch.ts";

/** False if nothing could be done: no entry is ready. */
export async function landNextBatch(context: LaneContext, lane: Lane): Promise<boolean> {
  const { settings, store, stop } = context;
  const { queue } = store;
  const fence = await openLaneFence(context, lane);
  // What a killed lander left. Of a shared lane it may be alive, and only thinks that it may land.
  if (await queue.hasMarks(lane)) {
    await fence?.take(stop);
    await queue.unmarkLanding(lane);
  }
  await queue.setNow(lane, undefined);
  const entries = await landableHere(queue, lane, await gather(context, lane));
  await clearAheads(context, lane);
  const { batch: next } = nextBatch(entries, settings.queue.batch);
  const batch = alignWithAhead(next, await aheadFacts(context, lane));
  if (batch.length === 0) return false;
  const landed = (await fence?.take(stop)) ?? [];
  if (await settleLastLanding(context, lane, { entries, landed })) return true;
  await endJudging(store.project, laneId(lane));
  const { works, settled } = await prepareBatch(context, lane, batch);
  try {
    if (works.length === 0) return settled > 0;
    try {
      await landOrSettle(context, { lane, fence }, works);
    } finally {
      await queue.unmarkLanding(lane);
      await queue.setNow(lane, undefined);
    }
    await clearAheads(context, lane);
    return true;
  } finally {
    for (const work of works) await work.release();
  }
}

/** The entries of the lane, once no more of them are about to arrive. */
async function gather({ store: { queue }, settings, now, stop }: LaneContext, lane: Lane) {
  const watch = queue.watch(lane);
  try {
    for (let looks = 1; ; looks++) {
      const entries = await queue.list(lane);
      const isOver = looks > MAX_LOOKS || stop?.aborted;
      if (isOver || !isGathering(entries, settings.queue.batch, now())) return entries;
      await watch.next(QUIET_MS, stop);
    }
  } finally {
    watch.close();
  }
}

/** The most entries that it waits for. */
const MAX_LOOKS = 20;

/** An error of one entry must not stop the others: after a failure each is tried alone, and has its own outcome. */
async function landOrSettle(
  context: LaneContext,
  turn: Turn,
  works: readonly LandingWork[],
): Promise<void> {
  const { queue } = context.store;
  const { lane } = turn;
  try {
    await landTogether(context, turn, { works, progress: newProgress(context, lane, works) });
  } catch (error) {
    if (context.stop?.aborted) throw error;
    const queued = new Set((await queue.list(lane)).map(({ id }) => id));
    const open = works.filter(({ entry }) => queued.has(entry.id));
    const [only] = open;
    if (!only || works.length > 1) {
      for (const work of open) await landOrSettle(context, turn, [work]);
    } else if (isElsewhere(only.entry, await queue.machine(lane))) await queue.leave(only.entry);
    else await queue.settle(only.entry, failureOf(error));
  }
}

interface Turn {
  readonly lane: Lane;
  /** If the machines of a fleet share the lane. */
  readonly fence: LaneFence | undefined;
}

interface Batch {
  readonly works: readonly LandingWork[];
  readonly progress: Progress;
}

async function landTogether(
  context: LaneContext,
  { lane, fence }: Turn,
  { works, progress }: Batch,
): Promise<void> {
  const { repository, now } = context;
  const { queue } = context.store;
  const startedMs = now();
  let verdict: BatchVerdict | undefined;
  let offender: LandingWork | undefined;
  let onto = "";
  const refusals = new Map<LandingWork, Refused>();
  const results = await land({
    repository,
    target: lane,
    entries: works,
    scratch: laneId(lane),
    updateCheckouts: works.every(({ updateCheckouts }) => updateCheckouts),
    fence,
    stop: context.stop,
    onWarning: context.onWarning,
    onStep(step) {
      progress.step(step.name);
      context.onStep?.(stepText(step, { branch: lane.branch }));
    },
    async verify(candidates) {
      ({ onto } = candidates);
      offender = undefined;
      refusals.clear();
      const judged = await judgeEach(candidates);
      if (judged === 0) return { landing: 0 };
      const list = candidates.list.slice(0, judged);
      const tip = list.at(-1)?.commit ?? onto;
      progress.composed(
        tip,
        list.map(({ entry }) => entry.entry.name),
      );
      await waitForAhead(context, lane, tip);
      const gate = { context, laneId: laneId(lane), ...progress };
      verdict = await verifyBatch(gate, { ...candidates, list });
      blame(candidates, verdict);
      const landing = await stillWanted(list.slice(0, verdict.green));
      const place = { project: context.store.project, env: context.env };
      for (const { commit } of list.slice(0, landing)) keepLanding(place, commit);
      return { landing };
    },
  });
  const own = await queue.machine(lane);
  await inParallel(works, async (work) => {
    const result = results[works.indexOf(work)] ?? { kind: "stopped" };
    const refused = refusals.get(work);
    if (isElsewhere(work.entry, own)) return settleElsewhere(queue, work, { result, refused });
    const outcome = await outcomeOf(work, result, refused);
    if (outcome !== undefined) await queue.settle(work.entry, outcome.value);
  });
  const landed = works.flatMap(({ entry }, at) =>
    results[at]?.kind === "merged" ? [entry.name] : [],
  );
  if (verdict === undefined) return;
  const to = results.findLast((one) => one.kind === "merged")?.commit ?? onto;
  const ms = now() - startedMs;
  const { checks, flaky } = verdict;
  await queue.record(lane, {
    at: new Date(now()).toISOString(),
    ms,
    from: onto,
    to,
    landed,
    ejected: offender?.entry.name,
    checks: [...checks],
    flaky: [...flaky],
  });
  removeOldTreeReceipts(context.store.project, now());

  /** Each entry's own rules. Those from the first that does not hold are not verified with the others. */
  async function judgeEach({ list }: Candidates<LandingWork>): Promise<number> {
    const judged = await inParallel(list, (candidate) => candidate.entry.judge(candidate));
    for (const [at, { entry }] of list.entries()) {
      const refused = judged[at];
      if (refused === undefined) continue;
      refusals.set(entry, refused);
      return at;
    }
    return list.length;
  }

  function blame({ list, onto: target }: Candidates<LandingWork>, found: BatchVerdict): void {
    const { redTarget } = found;
    if (redTarget !== undefined) {
      const reason = `${lane.branch} itself fails: ${whyNotPassed(redTarget) ?? ""}`;
      for (const { entry } of list)
        refusals.set(entry, {
          commit: target,
          reason,
          receipts: redTarget,
          isTargetRed: true,
          before: [],
        });
      return;
    }
    const blamed = found.offender && list[found.offender.candidate - 1];
    if (found.offender === undefined || blamed === undefined) return;
    const { receipts, reason } = found.offender;
    offender = blamed.entry;
    refusals.set(blamed.entry, {
      commit: blamed.commit,
      reason,
      receipts,
      before: list.slice(0, found.green).map(({ entry }) => entry.entry.name),
    });
  }

  /** None of them if a person has held or dropped one meanwhile: the next batch is composed without it. */
  async function stillWanted(green: Candidates<LandingWork>["list"]): Promise<number> {
    for (const { entry: work } of green) {
      const isQueued = await queue.markLanding(work.entry);
      if (isQueued && (await work.isStillWanted())) continue;
      await queue.unmarkLanding(lane);
      return 0;
    }
    return green.length;
  }
}

/** Undefined if the entry stays in the queue. */
async function outcomeOf(
  work: LandingWork,
  result: LandedEntry,
  refused: Refused | undefined,
): Promise<{ readonly value: unknown } | undefined> {
  try {
    switch (result.kind) {
      case "merged":
        return { value: await work.landed(result.commit) };
      case "conflict":
        return { value: await work.conflicts(result) };
      case "not-verified":
        return refused && { value: await work.refused(refused) };
      case "checked-out":
        return { value: await work.checkedOut(result) };
      case "moved":
        return { value: await work.moved(result.why) };
      case "behind":
      case "stopped":
        return undefined;
    }
  } catch (error) {
    return { value: failureOf(error) };
  }
}
