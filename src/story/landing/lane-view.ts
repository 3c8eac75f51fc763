// A lane as people see it: what lands now, what waits, why, and for how long. Pure.

import type { Entry, Lane } from "./entry.ts";
import { expectedMs, savedChecks, type LandedBatch, type LandingNow } from "./history.ts";
import { nextBatch, type WaitReason } from "./next-batch.ts";

export interface LaneFacts {
  readonly lane: Lane;
  readonly entries: readonly Entry[];
  /** Whether a process has the lane. */
  readonly hasLander: boolean;
  /** What it does, once it has chosen a batch. */
  readonly now: LandingNow | undefined;
  readonly history: readonly LandedBatch[];
  readonly batchSize: number;
  readonly nowMs: number;
}

export interface LaneView {
  readonly lane: Lane;
  readonly hasLander: boolean;
  readonly now: LandingNow | undefined;
  readonly entries: readonly LaneEntry[];
  /** Newest first. */
  readonly recent: readonly LandedBatch[];
  readonly checks: { readonly run: number; readonly saved: number };
  /** Commands that failed and passed on the same code, in recent batches. */
  readonly flaky: readonly string[];
}

export interface LaneEntry {
  readonly name: string;
  readonly kind: Entry["kind"];
  readonly by: string;
  /** Which machine of the fleet it is on, if they share the lane. */
  readonly machine?: string | undefined;
  /** Another machine could not land it: only its own does, or says why not. */
  readonly isLeft?: boolean | undefined;
  readonly enqueuedAt: string;
  /** 1 for the batch that lands now or next. Undefined for an entry that cannot land yet. */
  readonly batch: number | undefined;
  readonly state: "landing" | "waiting" | "held";
  readonly reason: string;
  /** Until it has landed, if everything passes. Undefined while the checks have no history. */
  readonly etaMs: number | undefined;
}

const RECENT = 20;

export function laneView(facts: LaneFacts): LaneView {
  const { lane, entries, hasLander, now, history, batchSize, nowMs } = facts;
  const landing = new Set(now?.entries);
  const shown: LaneEntry[] = [];
  const first = entries.filter(({ name }) => landing.has(name));
  let left = entries.filter(({ name }) => !landing.has(name));
  let passedMs: number | undefined = now ? Date.parse(now.startedAt) - nowMs : 0;
  let batch = 0;
  if (now) add(first, () => ({ state: "landing", reason: stepOf(now) }));
  for (;;) {
    const next = nextBatch(left, batchSize);
    if (next.batch.length === 0) {
      for (const { entry, reason } of next.waiting) {
        const state = reason.kind === "held" ? "held" : "waiting";
        shown.push({
          ...plain(entry),
          batch: undefined,
          state,
          reason: waits(reason),
          etaMs: undefined,
        });
      }
      break;
    }
    const isNext = batch === 0;
    add(next.batch, () => ({
      state: "waiting",
      reason: isNext ? "next to land" : "waits for the batch before it",
    }));
    left = left.filter((one) => !next.batch.includes(one));
  }
  const recent = history.slice(-RECENT).toReversed();
  const flaky = [...new Set(recent.flatMap((one) => one.flaky))];
  return { lane, hasLander, now, entries: shown, recent, checks: savedChecks(history), flaky };

  function add(
    together: readonly Entry[],
    describe: () => Pick<LaneEntry, "state" | "reason">,
  ): void {
    batch++;
    const commands = new Set(together.flatMap(({ checks }) => checks));
    for (const command of commands) {
      const ms = expectedMs(history, command);
      passedMs = ms === undefined || passedMs === undefined ? undefined : passedMs + ms;
    }
    const etaMs = passedMs === undefined ? undefined : Math.max(0, passedMs);
    shown.push(...together.map((entry) => ({ ...plain(entry), batch, etaMs, ...describe() })));
  }
}

const plain = ({ name, kind, by, machine, isLeft, enqueuedAt }: Entry) => ({
  name,
  kind,
  by,
  ...(machine !== undefined && { machine }),
  ...(isLeft === true && { isLeft }),
  enqueuedAt,
});

const waits = (reason: WaitReason): string => {
  switch (reason.kind) {
    case "held":
      return `held by ${reason.by}`;
    case "after":
      return `waits for ${reason.names.join(", ")}`;
    case "batch-full":
      return "waits for the batch before it";
  }
};

function stepOf({ step, command, candidate, entries }: LandingNow): string {
  switch (step) {
    case "compose":
      return "being combined with the target";
    case "verify":
      if (command === undefined) return "being checked";
      return candidate === undefined || candidate === entries.length
        ? `running the check: ${command}`
        : `checks failed, searching for the cause: ${command} with the first ${candidate} of ${entries.length}`;
    case "land":
      return "the target is being updated";
  }
}
