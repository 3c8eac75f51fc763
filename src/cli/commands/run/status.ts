import type { Environment } from "../../../machine/processes/environment.ts";
import { noteMergedEpics } from "../../../repo/delivery/merged-epics.ts";
import type { Overview, StoryView } from "../../../store/views/overview.ts";
import type { Store } from "../../../store/store.ts";
import { readConflicts } from "../../../store/views/conflicts.ts";
import { attentionOfEpic } from "../../../story/state/attention.ts";
import type { UsualTask } from "../../../story/state/estimate.ts";
import { leasedStories, runningEpics, type EpicRun } from "../../watch/active-workers.ts";
import type { Build, CommandContext, CommandResult } from "../../program/command.ts";
import { unfinishedIn } from "../../output/unfinished-line.ts";
import { withAttention, inSection, type AttendedStory } from "../../output/needs-you.ts";
import { readPoolAttention, type PoolTaskNeed } from "../../output/pool-attention.ts";
import { poolJson, runningPools } from "../../pool/pool-status.ts";
import { readReviews, type Review } from "../../output/review-list.ts";
import { weakenedIn } from "../../output/merge-status.ts";
import { killedIn, notifyOfKilled } from "../../watch/notify.ts";
import {
  isRunningView,
  newRunningReader,
  newUsualReader,
  progress,
  storyTimeLeftMs,
  type RunningReader,
  type RunningStory,
  type UsualReader,
} from "../../watch/running-stories.ts";
import { renderStatus } from "../../watch/status-text.ts";
import { watchResult } from "../../watch/watch-result.ts";

interface Options {
  readonly watch?: boolean;
  readonly json?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "status",
        "Show what needs you, what you can continue or start, and what is running now.",
        [
          "saga status",
          "saga status --watch     keep it up to date, with progress and estimates, until Ctrl-C",
          "saga status --json",
        ],
      )
      .option("-w, --watch", "keep showing it; with --json one document per line, at each change"),
    async (context, _, { watch = false, json = false }: Options) => {
      const store = context.openProject();
      const readers = { running: newRunningReader(store), usual: newUsualReader(store) };
      if (!watch) return readStatus(context, store, readers);
      const read = () => readStatus(context, store, { ...readers, isWatched: true });
      return watchResult(context.io, { json, read });
    },
  );

interface Readers {
  readonly running: RunningReader;
  readonly usual: UsualReader;
  readonly isWatched?: boolean;
}

async function readStatus(
  { io }: CommandContext,
  store: Store,
  { running: readRunning, usual: readUsual, isWatched = false }: Readers,
): Promise<CommandResult> {
  const { stories, epics: allEpics, problems: known } = await readOverview(store, io.env);
  const problems = [...known];
  const views = [...stories.values()];
  const all = withAttention(views, await weakenedIn({ store, env: io.env }, views));
  const running: RunningStory[] = [];
  for (const view of views) if (isRunningView(view)) running.push(await readRunning(view));
  const usual = running.length === 0 ? undefined : await readUsual(views);
  const pools = runningPools(store.project);
  const pool = await readPoolAttention(store, io.env, pools);
  const epics = await runningEpics(store, (problem) => {
    if (!known.some(({ file }) => file === problem.file)) problems.push(problem);
  });
  const toMerge = [...allEpics.values()].flatMap(({ epic: { id }, awaitsMerge }) => {
    const attention = attentionOfEpic({ id, awaitsMerge });
    return attention ? [{ id, attention }] : [];
  });
  const conflicts = await readConflicts(store, stories);
  const reviews = await readRisks(store, io.env, views);
  const unreadable = problems.length === 0 ? [] : await runningUnreadable(store, stories);
  await notifyOfKilled({ io, store }, killedIn(views));
  return {
    json: {
      running: running.map((one) => runningJson(one, usual)),
      unreadable,
      epics: epics.map(epicJson),
      needsYou: inSection(all, "needs-you").map((one) => ({
        ...attendedJson(one),
        risk: reviews.find(({ id }) => id === one.view.record.id)?.risk,
      })),
      continue: inSection(all, "continue").map(attendedJson),
      start: inSection(all, "start").map(attendedJson),
      landing: inSection(all, "landing").map(attendedJson),
      conflicts,
      epicsToMerge: toMerge.map(({ id, attention }) => ({
        epic: id,
        reason: attention.text,
        next: attention.next,
      })),
      poolTasks: pool.needs.map(poolTaskJson),
      poolReady: pool.ready,
      inFlight: unfinishedIn(views),
      pools: pools.map(poolJson),
      problems,
    },
    text: (paint) =>
      renderStatus(
        {
          all,
          running,
          unreadable,
          epics,
          toMerge,
          pools,
          pool,
          views,
          problems,
          conflicts,
          usual,
          isWatched,
          reviews,
        },
        paint,
      ),
  };
}

/** Needs git for each story, so with many of them it is left to `saga list --review`. */
const MAX_RISKS = 8;

async function readRisks(
  store: Store,
  env: Environment,
  views: readonly StoryView[],
): Promise<Review[]> {
  const waiting = views.filter(({ state }) => state === "review");
  return waiting.length > MAX_RISKS ? [] : readReviews({ store, env }, waiting);
}

/** Records epics that were merged without Saga first. */
async function readOverview(store: Store, env: Environment): Promise<Overview> {
  const overview = await store.overview();
  const unmerged = [...overview.epics].flatMap(([id, { awaitsMerge }]) => (awaitsMerge ? id : []));
  return (await noteMergedEpics(store, env, unmerged)) ? store.overview() : overview;
}

/** Stories with a live worker but unreadable files. */
async function runningUnreadable(store: Store, stories: Overview["stories"]): Promise<string[]> {
  // Unreadable leases are reported as problems already.
  const leased = await leasedStories(store, () => undefined);
  return leased.flatMap(({ storyId, lease }) =>
    lease.life === "alive" && !stories.has(storyId) ? [storyId] : [],
  );
}

const runningJson = (
  { view, run, lastToolUse, lastAction }: RunningStory,
  usual: UsualTask | undefined,
) => ({
  story: view.record.id,
  state: view.state,
  session: run?.session,
  machine: run?.machine,
  startedAt: run?.startedAt,
  lastToolUse,
  lastAction,
  estimate: usual && { msLeft: storyTimeLeftMs(view, usual), fromStories: usual.stories },
  costUsd: run?.costUsd,
  costIsEstimate: run && (run.costIsEstimate ?? false),
  tasks: progress(view),
});

const epicJson = ({ epicId, lease: { record } }: EpicRun) => ({
  epic: epicId,
  pid: record.pid,
  startedAt: record.takenAt,
});

const attendedJson = ({ view, attention }: AttendedStory) => ({
  story: view.record.id,
  state: view.state,
  kind: attention.kind,
  reason: attention.text,
  next: attention.next,
  tasks: progress(view),
  questions: view.openBlockers.map(({ blocker, title }) => ({ blocker, title })),
});

const poolTaskJson = ({ list, task, subject, attention }: PoolTaskNeed) => ({
  list,
  task,
  subject,
  kind: attention.kind,
  reason: attention.text,
  next: attention.next,
});
