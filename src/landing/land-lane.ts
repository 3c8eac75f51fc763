// Lands the next batch of a lane. Its caller owns the lane's lease.
//
// Every step can be killed. What a killed lander left is found again: an entry stays in the queue until its outcome is
// written, and an entry whose work is in the target by then is settled as landed.

import { createHash } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { messageOf, SagaError } from "../errors.ts";
import { endJudging } from "../gate/judging.ts";
import { whyNotPassed } from "../gate/story-gate.ts";
import { land, type Candidates, type LandedEntry } from "../repo/delivery/land.ts";
import { keepLanding, removeOldTreeReceipts } from "../store/runs/tree-receipts.ts";
import { laneName, type Entry, type Lane } from "../story/landing/entry.ts";
import type { LandingNow } from "../story/landing/history.ts";
import { nextBatch } from "../story/landing/next-batch.ts";
import type { LandingContext, LandingKinds, LandingWork, Refused } from "./landing.ts";
import { stepText } from "./step-text.ts";
import { verifyBatch, type BatchVerdict } from "./verify-batch.ts";

export interface LaneContext extends LandingContext {
  readonly kinds: LandingKinds;
}

/** False if nothing could be done: no entry is ready. */
export async function landNextBatch(context: LaneContext, lane: Lane): Promise<boolean> {
  const { settings, store } = context;
  const { queue } = store;
  const entries = await queue.list(lane);
  const { batch } = nextBatch(entries, settings.queue.batch);
  if (batch.length === 0) return false;
  await endJudging(store.project, laneId(lane));
  const { works, settled } = await prepareAll(context, batch);
  try {
    if (works.length === 0) return settled > 0;
    try {
      await landOrSettle(context, lane, works);
    } finally {
      await queue.setNow(lane, undefined);
    }
    return true;
  } finally {
    for (const work of works) await work.release();
  }
}

/** An error of one entry must not stop the others: after a failure each is tried alone, and has its own outcome. */
async function landOrSettle(
  context: LaneContext,
  lane: Lane,
  works: readonly LandingWork[],
): Promise<void> {
  const { queue } = context.store;
  try {
    await landTogether(context, lane, { works, progress: newProgress(context, lane, works) });
  } catch (error) {
    if (context.stop?.aborted) throw error;
    const queued = new Set((await queue.list(lane)).map(({ id }) => id));
    const open = works.filter(({ entry }) => queued.has(entry.id));
    const [only] = open;
    if (only && works.length === 1) await queue.settle(only.entry, failureOf(error));
    else for (const work of open) await landOrSettle(context, lane, [work]);
  }
}

/** Valid as a story id, for the scratch worktree, ports and marks of processes. */
export function laneId(lane: Lane): string {
  const name = laneName(lane);
  const slug = `${lane.place}-${lane.branch}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `lane-${slug.replaceAll(/^-|-$/g, "").slice(0, 40).replace(/-$/, "")}-${hash}`;
}

/** Settles what cannot land. The entries after one that must land alone wait for the next batch. */
async function prepareAll(
  context: LaneContext,
  batch: readonly Entry[],
): Promise<{ readonly works: LandingWork[]; readonly settled: number }> {
  const { kinds, onStep } = context;
  const { queue } = context.store;
  const works: LandingWork[] = [];
  let settled = 0;
  for (const entry of batch) {
    const prepared = await kinds[entry.kind](context, entry).catch((error: unknown) => ({
      kind: "settled" as const,
      outcome: failureOf(error),
    }));
    if (prepared.kind === "settled") {
      await queue.settle(entry, prepared.outcome);
      settled++;
    } else if (prepared.kind === "wait") onStep?.(`${entry.name}: ${prepared.why}`);
    else if (prepared.work.landsAlone && works.length > 0) {
      await prepared.work.release();
      break;
    } else {
      works.push(prepared.work);
      if (prepared.work.landsAlone) break;
    }
  }
  return { works, settled };
}

/** An error as an outcome, for another process. */
function failureOf(error: unknown): { readonly error: object } {
  if (!(error instanceof SagaError)) return { error: { code: "bug", message: messageOf(error) } };
  const { code, message, hint, problems } = error;
  return { error: { code, message, hint, problems } };
}

interface Batch {
  readonly works: readonly LandingWork[];
  readonly progress: Progress;
}

async function landTogether(
  context: LaneContext,
  lane: Lane,
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
      const gate = { context, laneId: laneId(lane), ...progress };
      verdict = await verifyBatch(gate, { ...candidates, list });
      blame(candidates, verdict);
      const landing = await stillWanted(list.slice(0, verdict.green));
      const place = { project: context.store.project, env: context.env };
      for (const { commit } of list.slice(0, landing)) keepLanding(place, commit);
      return { landing };
    },
  });
  const landed: string[] = [];
  for (const [at, work] of works.entries()) {
    const result = results[at] ?? { kind: "stopped" };
    const outcome = await outcomeOf(work, result, refusals.get(work));
    if (outcome === undefined) continue;
    await queue.settle(work.entry, outcome.value);
    if (result.kind === "merged") landed.push(work.entry.name);
  }
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
    for (const [at, candidate] of list.entries()) {
      const refused = await candidate.entry.judge(candidate);
      if (refused === undefined) continue;
      refusals.set(candidate.entry, refused);
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
    const queued = new Map((await queue.list(lane)).map((one) => [one.id, one]));
    for (const { entry: work } of green) {
      const entry = queued.get(work.entry.id);
      const isQueued = entry !== undefined && entry.heldBy === undefined;
      if (!isQueued || !(await work.isStillWanted())) return 0;
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

interface Progress {
  readonly step: (name: "read" | "combine" | "verify" | "record" | "advance") => void;
  readonly onCheck: (command: string, candidate: number) => void;
  readonly onOutput: (chunk: Buffer) => void;
}

/** Shows people what the lander does. A failure to write that stops nothing. */
function newProgress(
  { store: { queue }, now, onWarning }: LaneContext,
  lane: Lane,
  works: readonly LandingWork[],
): Progress {
  const entries = works.map(({ entry }) => entry.name);
  const startedAt = new Date(now()).toISOString();
  const output = queue.outputFile(lane);
  const show = (step: Omit<LandingNow, "entries" | "startedAt">): void =>
    void queue
      .setNow(lane, { entries, startedAt, ...step })
      .catch((error: unknown) => onWarning?.(messageOf(error)));
  const attempt = (act: () => void): void => {
    try {
      act();
    } catch {
      // The output is also in the receipt.
    }
  };
  return {
    step: (name) => show({ step: STEPS[name] }),
    onCheck(command, candidate) {
      attempt(() => writeFileSync(output, ""));
      show({ step: "verify", command, candidate, output });
    },
    onOutput: (chunk) => attempt(() => appendFileSync(output, chunk)),
  };
}

const STEPS = {
  read: "compose",
  combine: "compose",
  verify: "verify",
  record: "land",
  advance: "land",
} as const;
