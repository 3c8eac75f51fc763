import type { Environment } from "../../../machine/processes/environment.ts";
import { livenessOf } from "../../../machine/processes/process-id.ts";
import { noteMergedEpics } from "../../../repo/delivery/merged-epics.ts";
import type { DaemonView } from "../../../tasks/daemon-files.ts";
import type { Overview, StoryView } from "../../../store/views/overview.ts";
import type { Store } from "../../../store/store.ts";
import { readConflicts } from "../../../store/views/conflicts.ts";
import type { ConflictAhead } from "../../../story/early-warning/conflicts-ahead.ts";
import { filesText } from "../../../story/early-warning/warning-text.ts";
import { attentionOfEpic, type Attention } from "../../../story/state/attention.ts";
import { count } from "../../../text/plural.ts";
import type { Run } from "../../../story/state/run.ts";
import type { StoryState } from "../../../story/state/state.ts";
import { usd } from "../../../text/usd.ts";
import { duration } from "../../../text/duration.ts";
import { leasedStories, runningEpics, type EpicRun } from "../../watch/active-workers.ts";
import type { Build } from "../../program/command.ts";
import { unfinishedIn, unfinishedLine } from "../../output/unfinished-line.ts";
import { unreadableLines } from "../../output/unreadable-files.ts";
import {
  withAttention,
  inSection,
  needLines,
  needRow,
  type AttendedStory,
  type NeedRow,
} from "../../output/needs-you.ts";
import { plain, short, stateMark, type Paint } from "../../output/terminal.ts";
import {
  poolNeedRow,
  poolReadyRow,
  readPoolAttention,
  type PoolAttention,
  type PoolTaskNeed,
} from "../../output/pool-attention.ts";
import { poolJson, poolLines, runningPools } from "../../pool/pool-status.ts";
import { weakenedIn } from "../../output/merge-status.ts";
import { killedIn, notifyOfKilled } from "../../watch/notify.ts";

interface RunningStory {
  readonly view: StoryView;
  readonly run: Run | undefined;
  readonly lastToolUse: string | undefined;
}

export const build: Build = (builder) =>
  builder.action(
    builder.command(
      "status",
      "Show what needs you, what you can continue or start, and what is running now.",
      ["saga status", "saga status --json"],
    ),
    async ({ io, openProject }) => {
      const store = openProject();
      const { stories, epics: allEpics, problems: known } = await readOverview(store, io.env);
      const problems = [...known];
      const views = [...stories.values()];
      const all = withAttention(views, await weakenedIn({ store, env: io.env }, views));
      const running: RunningStory[] = [];
      for (const view of views) {
        if (view.state === "running" || view.state === "stalled")
          running.push(await readRunning(store, view));
      }
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
      const unreadable = problems.length === 0 ? [] : await runningUnreadable(store, stories);
      await notifyOfKilled({ io, store }, killedIn(views));
      return {
        json: {
          running: running.map(json),
          unreadable,
          epics: epics.map(epicJson),
          needsYou: inSection(all, "needs-you").map(attendedJson),
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
          render(
            { all, running, unreadable, epics, toMerge, pools, pool, views, problems, conflicts },
            paint,
          ),
      };
    },
  );

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

async function readRunning(store: Store, view: StoryView): Promise<RunningStory> {
  const [run] = await store.listRuns(view.record.id);
  const isCurrent = run?.worker !== undefined && livenessOf(run.worker) === "alive";
  if (!isCurrent) return { view, run: undefined, lastToolUse: undefined };
  const { events } = await store.readEvents(view.record.id, run.id);
  const last = events.findLast(({ type }) => type.startsWith("tool."));
  return { view, run, lastToolUse: last?.at };
}

const json = ({ view, run, lastToolUse }: RunningStory) => ({
  story: view.record.id,
  state: view.state,
  session: run?.session,
  startedAt: run?.startedAt,
  lastToolUse,
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

const progress = ({ record }: StoryView) => ({
  completed: record.tasks.filter(({ status }) => status === "completed").length,
  inHand: record.tasks.filter(({ status }) => status === "in_progress").map(({ id }) => id),
  total: record.tasks.length,
});

interface EpicToMerge {
  readonly id: string;
  readonly attention: Attention;
}

interface Shown extends Pick<Overview, "problems"> {
  readonly all: readonly AttendedStory[];
  readonly running: readonly RunningStory[];
  readonly unreadable: readonly string[];
  readonly epics: readonly EpicRun[];
  readonly toMerge: readonly EpicToMerge[];
  readonly pools: readonly DaemonView[];
  readonly pool: PoolAttention;
  readonly views: readonly StoryView[];
  readonly conflicts: readonly ConflictAhead[];
}

/** `saga list` shows the rest. */
const MAX_START = 10;

function render(shown: Shown, paint: Paint): string {
  const { all, running, unreadable, epics, toMerge, pools, pool } = shown;
  const isIdle = running.length + unreadable.length + epics.length + pools.length === 0;
  const rowsIn = (section: Parameters<typeof inSection>[1]): NeedRow[] =>
    inSection(all, section).map(needRow);
  const parts = [
    isIdle ? ["Nothing is running."] : runningLines(shown, paint),
    poolLines(pools, paint),
    sectionLines("Landing", rowsIn("landing"), paint),
    conflictLines(shown.conflicts, paint),
    sectionLines(
      "Needs you",
      [...rowsIn("needs-you"), ...toMerge.map(epicRow), ...pool.needs.map(poolNeedRow)],
      paint,
    ),
    sectionLines("Ready to continue", rowsIn("continue"), paint),
    startLines([...rowsIn("start"), ...pool.ready.map(poolReadyRow)], paint),
    unreadableLines(shown, paint),
    unfinishedLine(shown.views, paint),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const epicRow = ({ id, attention: { next, text } }: EpicToMerge): NeedRow => ({
  id: `epic ${id}`,
  state: "review",
  word: "ready to merge",
  next,
  about: [text],
});

const sectionLines = (title: string, rows: readonly NeedRow[], paint: Paint): string[] =>
  rows.length === 0 ? [] : [paint("bold", title), ...needLines(rows, paint)];

const MAX_CONFLICTS = 10;

function conflictLines(conflicts: readonly ConflictAhead[], paint: Paint): string[] {
  if (conflicts.length === 0) return [];
  const shown = conflicts.slice(0, MAX_CONFLICTS);
  const pairs = shown.map(({ story, with: { name } }) => `${story} and ${plain(name)}`);
  const width = Math.max(...pairs.map(({ length }) => length));
  const more = conflicts.length - shown.length;
  return [
    paint("bold", "Conflicts ahead"),
    ...shown.map(({ files }, at) => {
      const text = short(filesText(files, 3));
      return `  ${paint("yellow", "⚠")} ${pairs[at]?.padEnd(width)}  ${paint("dim", text)}`;
    }),
    ...(more > 0 ? [paint("dim", `  and ${more} more: \`saga status --json\``)] : []),
  ];
}

function startLines(rows: readonly NeedRow[], paint: Paint): string[] {
  const more = rows.length - MAX_START;
  return [
    ...sectionLines("Ready to start", rows.slice(0, MAX_START), paint),
    ...(more > 0 ? [paint("dim", `  and ${more} more: \`saga list --state ready\``)] : []),
  ];
}

interface RunningRow {
  readonly id: string;
  readonly state: StoryState;
  readonly text: string;
}

function runningLines({ running, unreadable, epics, all }: Shown, paint: Paint): string[] {
  const nowMs = Date.now();
  const landing = new Set(inSection(all, "landing").map(({ view }) => view.record.id));
  const runs = epics.map(({ epicId, lease: { record } }): RunningRow => {
    const text = `epic run, for ${duration(nowMs - Date.parse(record.takenAt))}`;
    return { id: epicId, state: "running", text };
  });
  const atWork = running.filter(({ view }) => !landing.has(view.record.id));
  const stories = atWork.map(({ view, run, lastToolUse }): RunningRow => {
    const { completed, total, inHand } = progress(view);
    const parts = [
      `${completed} of ${count(total, "task")}`,
      ...inHand,
      run && `for ${duration(nowMs - Date.parse(run.startedAt))}`,
      lastToolUse && `last tool use ${duration(nowMs - Date.parse(lastToolUse))} ago`,
      run && run.costUsd > 0 && usd(run.costUsd, run.costIsEstimate),
    ].filter(Boolean);
    return { id: view.record.id, state: view.state, text: parts.join(", ") };
  });
  const unread = unreadable.map((id): RunningRow => ({
    id,
    state: "running",
    text: "its files cannot be read",
  }));
  const rows = [...runs, ...stories, ...unread];
  const width = Math.max(...rows.map(({ id }) => id.length));
  const lines = rows.map(
    ({ id, state, text }) =>
      `  ${stateMark(state, paint)} ${id.padEnd(width)}  ${paint("dim", text)}`,
  );
  return rows.length === 0 ? [] : [paint("bold", "Running"), ...lines];
}
