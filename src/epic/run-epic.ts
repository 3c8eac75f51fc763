// One run of an epic: reads, decides, acts and waits for a change, until nothing more can be done. It holds no
// state that cannot be read again, so a killed run can simply be started again.

import { messageOf, SagaError } from "../errors.ts";
import { newStartPace, PACE_MS } from "../machine/processes/start-pace.ts";
import type { Store } from "../store/store.ts";
import { readConflictsOf } from "../store/views/conflicts.ts";
import { watchEpic } from "../store/watch-epic.ts";
import { affordableStories } from "../story/money/affordable-stories.ts";
import { budgetLevel } from "../story/money/day-budget.ts";
import { meterStories } from "./budget.ts";
import { readStories, type EarlyEnd, type EpicStory } from "./read-stories.ts";
import { whyNotTogether, type OverlapRules } from "./overlap.ts";
import { isRunning, isStartable } from "../story/state/state.ts";
import { endOf, schedule, type EpicEnd } from "./schedule.ts";
import { usd } from "../text/usd.ts";
import type { WaitingStory } from "./waiting-reason.ts";

export interface EpicRunRequest {
  readonly epicId: string;
  readonly parallel: number;
  readonly mayMerge: boolean;
  /** Whether stories that do not declare their files run at the same time. */
  readonly overlap: OverlapRules["overlap"];
  /** Whether to restart a story whose worker was killed during this run. */
  readonly mayResume: boolean;
  /** For all stories together, in this run. */
  readonly maxCostUsd?: number | undefined;
  /** What a story usually costs here. With a cost limit, it is reserved for each running story. */
  readonly usualCostUsd?: number | undefined;
  /** Runs recorded as merged whose work is no longer in the target: their stories run again. */
  readonly lostMerges?: ReadonlySet<string>;
}

/** Stories are started and merged in processes of their own. */
export interface EpicRunActions {
  /** Without a cost when this run has no limit of its own. */
  readonly start: (storyId: string, maxCostUsd: number | undefined) => Promise<void>;
  /** Asks a worker to end with its work committed, because the budget is spent. */
  readonly drain: (storyId: string, spentBudgetUsd: number) => Promise<void>;
  /** Why the day's budget allows no further start at the moment. */
  readonly dayRefusal?: () => string | undefined;
  /** Called once, when most of the cost limit is spent. */
  readonly onNearLimit?: (spentUsd: number) => void;
  /** Returns whether the story is merged. */
  readonly merge: (storyId: string) => Promise<boolean>;
  readonly log: (sentence: string) => void;
  readonly stop: AbortSignal;
  /** A killed worker changes no file, so the stories are also read at this interval. */
  readonly pollMs: number;
}

/** A started worker has this long to take its lease and record its run. */
const START_TIMEOUT_MS = 10_000;
const MAX_STARTS = 3;

export async function runEpic(
  store: Store,
  request: EpicRunRequest,
  actions: EpicRunActions,
): Promise<EpicEnd> {
  const { epicId, maxCostUsd } = request;
  const starts = new Map<string, number>();
  const starting = new Map<
    string,
    { readonly atMs: number; readonly lastRunId: string | undefined }
  >();
  const skipped = new Map<string, string>();
  const merging = new Map<string, Promise<void>>();
  /** Since the stories were last read. */
  let endedMerges = 0;
  const report = newReport(actions.log);
  const { epic } = await store.readEpic(epicId);
  const spent = await meterStories(
    store,
    epic.children.map(({ id }) => id),
  );
  const drainedRuns = new Set<string>();
  let noStartReason: string | undefined;
  let leftUsd = maxCostUsd;
  let isNearReported = false;
  const pace = newStartPace();
  const changes = watchEpic(store.project, epicId);
  try {
    for (;;) {
      endedMerges = 0;
      const stories = (await readStories(store, epicId, request.lostMerges)).map(asOfThisRun);
      changes.follow(stories.map(({ id }) => id));
      await applyBudget(stories);
      const byId = new Map(stories.map((story) => [story.id, story]));
      const conflicts = await readConflictsOf(store, [...byId.keys()]);
      // A story may have been read as in review, and be merged or with its agent by now: it is not merged again.
      if (endedMerges > 0) continue;
      const next = schedule(stories, {
        parallel: affordable(stories.filter(({ state }) => isRunning(state)).length),
        mayMerge: request.mayMerge,
        noStartReason: noStartReason ?? actions.dayRefusal?.(),
        whyNotTogether(id, otherId, facts) {
          const [story, other] = [byId.get(id), byId.get(otherId)];
          const { overlap } = request;
          return (
            story && other && whyNotTogether(story, { ...other, ...facts }, { overlap, conflicts })
          );
        },
      });
      report(stories, next.waiting);
      if (next.isOver || actions.stop.aborted) {
        const isAtLimit =
          noStartReason !== undefined || stories.some(({ earlyEnd }) => earlyEnd === "limit");
        const cost = { ...(await spent()), maxUsd: maxCostUsd };
        return { ...endOf(stories, next, isAtLimit), cost };
      }
      for (const id of next.merge) mergeInBackground(id);
      const lastRuns = new Map(stories.map(({ id, lastRunId }) => [id, lastRunId]));
      const now = next.start.slice(0, pace.room());
      for (const id of now) await start(id, lastRuns.get(id));
      const isPaced = now.length < next.start.length;
      await changes.next(isPaced ? PACE_MS : actions.pollMs, actions.stop);
    }
  } finally {
    changes.close();
    await Promise.all(merging.values());
  }

  /** Running stories share the budget and may exceed it together, so they are drained when it is spent. */
  async function applyBudget(stories: readonly EpicStory[]): Promise<void> {
    if (maxCostUsd === undefined) return;
    const { costUsd, costIsEstimate } = await spent();
    leftUsd = maxCostUsd - costUsd;
    const limit = usd(maxCostUsd);
    if (!isNearReported && budgetLevel(maxCostUsd, costUsd) !== "free") {
      isNearReported = true;
      if (leftUsd > 0) {
        actions.log(`${usd(costUsd, costIsEstimate)} of ${limit} spent in this run.`);
      }
      actions.onNearLimit?.(costUsd);
    }
    if (leftUsd > 0) return;
    if (noStartReason === undefined) {
      const cost = usd(costUsd, costIsEstimate);
      actions.log(`Cost limit of this run reached: ${cost} of ${limit} spent.`);
    }
    noStartReason = `the cost limit of this run is reached (${limit})`;
    for (const { id, state, lastRunId } of stories) {
      if (lastRunId === undefined || drainedRuns.has(lastRunId) || !isRunning(state)) continue;
      drainedRuns.add(lastRunId);
      await actions.drain(id, maxCostUsd).catch((error: unknown) => actions.log(messageOf(error)));
    }
  }

  function affordable(running: number): number {
    const rest = { leftUsd, usualUsd: request.usualCostUsd ?? 0, running };
    return Math.min(request.parallel, affordableStories(rest));
  }

  function asOfThisRun(story: EpicStory): EpicStory {
    const { id, state, lastRunId } = story;
    const started = starting.get(id);
    const isStarting =
      started !== undefined &&
      started.lastRunId === lastRunId &&
      Date.now() - started.atMs < START_TIMEOUT_MS;
    if (isStarting && isStartable(state)) return { ...story, state: "running" };
    return { ...story, skipReason: skipped.get(id) ?? whyNotAgain(story) };
  }

  /** A story that was interrupted before this run is started: a person asked for that by starting the run. */
  function whyNotAgain({ id, earlyEnd }: EpicStory): string | undefined {
    const times = starts.get(id) ?? 0;
    if (times >= MAX_STARTS) return `started ${times} times without completing`;
    if (times === 0 || earlyEnd === undefined) return undefined;
    if (earlyEnd === "killed" && request.mayResume) return undefined;
    return `${EARLY_END[earlyEnd]}; continue with \`saga resume ${id}\``;
  }

  async function start(id: string, lastRunId: string | undefined): Promise<void> {
    starts.set(id, (starts.get(id) ?? 0) + 1);
    starting.set(id, { atMs: Date.now(), lastRunId });
    pace.started();
    try {
      await actions.start(id, leftUsd);
    } catch (error) {
      starting.delete(id);
      skip(id, `could not be started: ${messageOf(error)}`);
    }
  }

  /** Stories wait for each other in the lane of their target, never for this loop. */
  function mergeInBackground(id: string): void {
    if (merging.has(id)) return;
    merging.set(
      id,
      merge(id).finally(() => {
        merging.delete(id);
        endedMerges++;
      }),
    );
  }

  async function merge(id: string): Promise<void> {
    try {
      if (!(await actions.merge(id))) skipped.set(id, "was not merged");
    } catch (error) {
      const hint = error instanceof SagaError ? error.hint : undefined;
      skip(id, [messageOf(error), hint].filter(Boolean).join(" "));
    }
  }

  function skip(id: string, why: string): void {
    actions.log(`${id}: ${why}`);
    skipped.set(id, why);
  }
}

const EARLY_END: Readonly<Record<EarlyEnd, string>> = {
  killed: "its worker was killed",
  limit: "reached a limit",
  stopped: "was stopped",
};

const STATE_TEXTS: Readonly<Record<string, string>> = {
  review: "is in review",
  merging: "is being merged",
  blocked: "has a question for you",
  failed: "failed",
  stopped: "was stopped",
  killed: "was killed",
  limit: "reached a limit",
  "sent-back": "was sent back",
};

/** Logs each new state and each new reason once. */
function newReport(
  log: (sentence: string) => void,
): (stories: readonly EpicStory[], waiting: readonly WaitingStory[]) => void {
  const states = new Map<string, string>();
  const reasons = new Map<string, string>();
  return (stories, waiting) => {
    const whys = new Map(waiting.map(({ id, why }) => [id, why]));
    for (const { id, state: stored, isMerging } of stories) {
      const state = isMerging ? "merging" : stored;
      const why = whys.get(id);
      // The reason says that a story is waiting.
      const isNew = states.get(id) !== state && state !== "waiting";
      if (isNew) log(`${id} ${STATE_TEXTS[state] ?? `is ${state}`}`);
      states.set(id, state);
      if (why !== undefined && reasons.get(id) !== why) log(`${id} is waiting: ${why}`);
      if (why === undefined) reasons.delete(id);
      else reasons.set(id, why);
    }
  };
}
