// The stories that are running, with what their agents did last.

import { livenessOf } from "../../machine/processes/process-id.ts";
import type { Store } from "../../store/store.ts";
import type { StoryView } from "../../store/views/overview.ts";
import { readWorkHistory } from "../../store/views/work-history.ts";
import { describeRunEvent } from "../../story/state/last-action.ts";
import { timeLeftMs, timeLeftText, usualTask, type UsualTask } from "../../story/state/estimate.ts";
import type { Run } from "../../story/state/run.ts";
import { isRunning } from "../../story/state/state.ts";
import { duration } from "../../text/duration.ts";
import { usd } from "../../text/usd.ts";
import { columns, plain, stateMark, type Paint } from "../output/terminal.ts";
import { truncate } from "../../text/one-line.ts";

export interface RunningStory {
  readonly view: StoryView;
  /** Undefined until its worker has recorded one. */
  readonly run: Run | undefined;
  readonly lastToolUse: string | undefined;
  /** Such as `Edit src/login.ts`. */
  readonly lastAction: string | undefined;
}

export type RunningReader = (view: StoryView) => Promise<RunningStory>;

interface Activity {
  readonly offset: number;
  readonly lastToolUse: string | undefined;
  readonly lastAction: string | undefined;
}

const NO_ACTIVITY: Activity = { offset: 0, lastToolUse: undefined, lastAction: undefined };

/** Called again, it reads only what a log has got since. */
export function newRunningReader(store: Pick<Store, "listRuns" | "readEvents">): RunningReader {
  const activities = new Map<string, Activity>();
  return async (view) => {
    const { id } = view.record;
    const [run] = await store.listRuns(id);
    if (run === undefined || !isCurrent(run))
      return { view, run: undefined, lastToolUse: undefined, lastAction: undefined };
    const before = activities.get(run.id) ?? NO_ACTIVITY;
    const { events, nextOffset } = await store.readEvents(id, run.id, before.offset);
    const last = events.findLast(({ type }) => type.startsWith("tool."));
    const action = events.findLast((event) => describeRunEvent(event) !== undefined);
    const activity = {
      offset: nextOffset,
      lastToolUse: last?.at ?? before.lastToolUse,
      lastAction: (action && describeRunEvent(action)) ?? before.lastAction,
    };
    activities.set(run.id, activity);
    const { lastToolUse, lastAction } = activity;
    return { view, run, lastToolUse, lastAction };
  };
}

/** Of another machine only its end is known here. The story is running, so its newest run is. */
const isCurrent = ({ machine, worker, endedAt }: Run): boolean =>
  machine === undefined
    ? worker !== undefined && livenessOf(worker) === "alive"
    : endedAt === undefined;

export type UsualReader = (views: readonly StoryView[]) => Promise<UsualTask | undefined>;

/** What a task usually takes here, read once. */
export function newUsualReader(store: Pick<Store, "listRuns">): UsualReader {
  let usual: Promise<UsualTask | undefined> | undefined;
  return (views) => (usual ??= readWorkHistory(store, views).then(usualTask));
}

export const isRunningView = ({ state }: StoryView): boolean => isRunning(state);

export const progress = ({ record }: StoryView) => ({
  completed: record.tasks.filter(({ status }) => status === "completed").length,
  inHand: record.tasks.filter(({ status }) => status === "in_progress").map(({ id }) => id),
  total: record.tasks.length,
});

export const storyTimeLeftMs = (view: StoryView, usual: UsualTask): number => {
  const { completed, total } = progress(view);
  return timeLeftMs(usual, total - completed);
};

const MAX_ACTION = 48;

/** A row for each: tasks, the current one, the last action, cost, time, and an estimate. */
export function runningTable(
  running: readonly RunningStory[],
  { nowMs, usual }: { readonly nowMs: number; readonly usual: UsualTask | undefined },
  paint: Paint,
): string[] {
  const rows = running.map(({ view, run, lastAction }) => {
    const { completed, total, inHand } = progress(view);
    return [
      view.record.id,
      `${completed}/${total}`,
      [inHand.join(", ") || "-", run?.machine && `on ${run.machine}`].filter(Boolean).join(" "),
      truncate(plain(lastAction ?? "-"), MAX_ACTION),
      run && run.costUsd > 0 ? usd(run.costUsd, run.costIsEstimate) : "-",
      run ? duration(nowMs - Date.parse(run.startedAt)) : "-",
      usual ? timeLeftText(storyTimeLeftMs(view, usual)) : "",
    ];
  });
  const [head = "", ...lines] = columns([HEAD, ...rows]);
  return [
    paint("dim", `    ${head}`),
    ...lines.map((line, at) => {
      const state = running[at]?.view.state ?? "running";
      return `  ${stateMark(state, paint)} ${line}`;
    }),
  ];
}

const HEAD = ["Story", "Tasks", "Now", "Last action", "Cost", "Time", ""];
