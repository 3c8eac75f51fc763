// One run of an epic: looks, decides, acts, and waits for a change, until nothing more can be done. It
// keeps nothing in mind that cannot be read again: killed, it is started once more and goes on.

import { messageOf, SagaError } from "../errors.ts";
import { mayOverlap } from "../gate/globs.ts";
import type { Store } from "../store/store.ts";
import { watchEpic } from "../store/watch-epic.ts";
import { openBudget } from "./budget.ts";
import { lookAt, type Cut, type Seen } from "./read-stories.ts";
import { isStartable } from "../story/state/state.ts";
import { endOf, isAtWork, schedule, type EpicEnd } from "./schedule.ts";
import { usd } from "../text/usd.ts";
import type { Waiting } from "./waiting.ts";

export interface EpicOrder {
  readonly epicId: string;
  readonly parallel: number;
  readonly mayMerge: boolean;
  /** Whether a story whose worker was killed in this run is begun again by itself. */
  readonly mayResume: boolean;
  /** For all of its stories together, in this run. */
  readonly maxCostUsd?: number | undefined;
  /** Runs that say merged of stories which their target has lost: those are brought once more. */
  readonly lostMerges?: ReadonlySet<string>;
}

/** How stories are started and merged: as processes of their own. */
export interface EpicHands {
  /** With what it may spend; nothing when this run has no limit of its own. */
  readonly start: (storyId: string, maxCostUsd: number | undefined) => Promise<void>;
  /** Ends a worker, because there is nothing left to spend. */
  readonly endAtLimit: (storyId: string, reason: string) => Promise<void>;
  /** Answers whether it is merged. */
  readonly merge: (storyId: string) => Promise<boolean>;
  readonly say: (sentence: string) => void;
  readonly stop: AbortSignal;
  /** The longest between two looks: no file tells that a worker was killed. */
  readonly lookEveryMs: number;
}

/** Until a worker that was started has its claim, and a run of its own. */
const STARTING_MS = 10_000;
/** More often than this a story is not begun again in one run: whatever it is, it does not pass. */
const MAX_STARTS = 3;

export async function runEpic(store: Store, order: EpicOrder, hands: EpicHands): Promise<EpicEnd> {
  const starts = new Map<string, number>();
  const starting = new Map<string, { readonly atMs: number; readonly runId: string | undefined }>();
  const refused = new Map<string, string>();
  const report = newReport(hands.say);
  const { epic } = await store.readEpic(order.epicId);
  const ids = epic.children.map(({ id }) => id);
  const budget = await openBudget(store, ids, order.maxCostUsd);
  const ended = new Set<string>();
  let isSpent: string | undefined;
  let leftUsd = order.maxCostUsd;
  const changes = watchEpic(store.project, order.epicId);
  try {
    for (;;) {
      const stories = (await lookAt(store, order.epicId, order.lostMerges)).map(asOfThisRun);
      changes.follow(stories.map(({ id }) => id));
      const runs = new Map(stories.map(({ id, runId }) => [id, runId]));
      await lookAtBudget(stories);
      const writes = new Map(stories.map((story) => [story.id, story.writes]));
      const next = schedule(stories, {
        parallel: order.parallel,
        mayMerge: order.mayMerge,
        isSpent,
        overlap: (one, other) => mayOverlap(writes.get(one), writes.get(other)),
      });
      report(stories, next.waiting);
      if (next.isOver || hands.stop.aborted) {
        const isAtLimit = isSpent !== undefined || stories.some(({ cut }) => cut === "limit");
        const cost = { ...(await budget.spent()), maxUsd: order.maxCostUsd };
        return { ...endOf(stories, next, isAtLimit), cost };
      }
      // One at a time: the next may have to wait for what this brings.
      const [first] = next.merge;
      if (first === undefined) {
        for (const id of next.start) await start(id, runs.get(id));
        await changes.next(hands.lookEveryMs, hands.stop);
      } else await merge(first);
    }
  } finally {
    changes.close();
  }

  /** Those at work share what is left: together they may pass it, so they are ended when it is gone. */
  async function lookAtBudget(stories: readonly Seen[]): Promise<void> {
    if (order.maxCostUsd === undefined) return;
    const { costUsd, costIsEstimate } = await budget.spent();
    leftUsd = order.maxCostUsd - costUsd;
    if (leftUsd > 0) return;
    const spent = `${usd(costUsd, costIsEstimate)} of ${usd(order.maxCostUsd)}`;
    if (isSpent === undefined) hands.say(`Cost limit of this run reached: ${spent} spent.`);
    isSpent ??= `the cost limit of this run is reached (${usd(order.maxCostUsd)})`;
    const reason = `Cost limit of the epic's run reached (${usd(order.maxCostUsd)}).`;
    for (const { id, state, runId } of stories) {
      if (runId === undefined || ended.has(runId) || !isAtWork(state)) continue;
      ended.add(runId);
      await hands.endAtLimit(id, reason).catch((error: unknown) => hands.say(messageOf(error)));
    }
  }

  function asOfThisRun(seen: Seen): Seen {
    const { id, state, runId } = seen;
    const begun = starting.get(id);
    const isOnTheWay =
      begun !== undefined && begun.runId === runId && Date.now() - begun.atMs < STARTING_MS;
    if (isOnTheWay && isStartable(state)) return { ...seen, state: "running" };
    return { ...seen, givenUp: refused.get(id) ?? whyNotAgain(seen) };
  }

  /** What was in flight before this run, a person has asked for by starting it. */
  function whyNotAgain({ id, cut }: Seen): string | undefined {
    const times = starts.get(id) ?? 0;
    if (times >= MAX_STARTS) return `it was started ${times} times, and is not done`;
    if (times === 0 || cut === undefined) return undefined;
    return cut === "killed" && order.mayResume ? undefined : CUT[cut](id);
  }

  async function start(id: string, runId: string | undefined): Promise<void> {
    starts.set(id, (starts.get(id) ?? 0) + 1);
    starting.set(id, { atMs: Date.now(), runId });
    try {
      await hands.start(id, leftUsd);
    } catch (error) {
      // A worker that could not be started at once is not started again and again.
      starting.delete(id);
      giveUp(id, `it could not be started: ${messageOf(error)}`);
    }
  }

  async function merge(id: string): Promise<void> {
    try {
      if (!(await hands.merge(id))) refused.set(id, "it was not merged");
    } catch (error) {
      const next = error instanceof SagaError ? error.hint : undefined;
      giveUp(id, [messageOf(error), next].filter(Boolean).join(" "));
    }
  }

  function giveUp(id: string, why: string): void {
    hands.say(`${id}: ${why}`);
    refused.set(id, why);
  }
}

const CUT: Readonly<Record<Cut, (id: string) => string>> = {
  killed: (id) => `its worker is gone; \`saga resume ${id}\` goes on with it`,
  limit: (id) => `it has reached a limit; \`saga resume ${id}\` goes on with it`,
  stopped: (id) => `it was stopped; \`saga resume ${id}\` goes on with it`,
};

/** Says what is new, each thing once. */
function newReport(
  say: (sentence: string) => void,
): (stories: readonly Seen[], waiting: readonly Waiting[]) => void {
  const states = new Map<string, string>();
  const reasons = new Map<string, string>();
  return (stories, waiting) => {
    const whys = new Map(waiting.map(({ id, why }) => [id, why]));
    for (const { id, state } of stories) {
      const why = whys.get(id);
      // What waits says so by its reason.
      const isNews = states.get(id) !== state && state !== "waiting";
      if (isNews) say(`${id} is ${state === "review" ? "in review" : state}`);
      states.set(id, state);
      if (why !== undefined && reasons.get(id) !== why) say(`${id} waits: ${why}`);
      if (why === undefined) reasons.delete(id);
      else reasons.set(id, why);
    }
  };
}
