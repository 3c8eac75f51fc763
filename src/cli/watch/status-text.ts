// What `saga status` prints.

import type { Overview, StoryView } from "../../store/views/overview.ts";
import type { ConflictAhead } from "../../story/early-warning/conflicts-ahead.ts";
import { CONFLICTS_ABOUT, conflictWords } from "../../story/early-warning/conflict-words.ts";
import type { Attention } from "../../story/state/attention.ts";
import { estimateNote, timeLeftText, type UsualTask } from "../../story/state/estimate.ts";
import type { StoryState } from "../../story/state/state.ts";
import type { DaemonView } from "../../tasks/daemon-files.ts";
import { count } from "../../text/plural.ts";
import { duration } from "../../text/duration.ts";
import { usd } from "../../text/usd.ts";
import {
  inSection,
  needLines,
  needRow,
  type AttendedStory,
  type NeedRow,
} from "../output/needs-you.ts";
import { poolNeedRow, poolReadyRow, type PoolAttention } from "../output/pool-attention.ts";
import { plain, short, stateMark, type Paint } from "../output/terminal.ts";
import type { Review } from "../output/review-list.ts";
import { unfinishedLine } from "../output/unfinished-line.ts";
import { unreadableLines } from "../output/unreadable-files.ts";
import { poolLines } from "../pool/pool-status.ts";
import type { EpicRun } from "./active-workers.ts";
import { progress, runningTable, storyTimeLeftMs, type RunningStory } from "./running-stories.ts";

export interface EpicToMerge {
  readonly id: string;
  readonly attention: Attention;
}

export interface ShownStatus extends Pick<Overview, "problems"> {
  readonly all: readonly AttendedStory[];
  readonly running: readonly RunningStory[];
  readonly unreadable: readonly string[];
  readonly epics: readonly EpicRun[];
  readonly toMerge: readonly EpicToMerge[];
  readonly pools: readonly DaemonView[];
  readonly pool: PoolAttention;
  readonly views: readonly StoryView[];
  readonly conflicts: readonly ConflictAhead[];
  readonly usual: UsualTask | undefined;
  readonly isWatched: boolean;
  /** The riskiest first. Empty if there are too many. */
  readonly reviews: readonly Review[];
}

/** `saga list` shows the rest. */
const MAX_START = 10;

export function renderStatus(shown: ShownStatus, paint: Paint): string {
  const { all, running, unreadable, epics, toMerge, pools, pool } = shown;
  const isIdle = running.length + unreadable.length + epics.length + pools.length === 0;
  const rowsIn = (section: Parameters<typeof inSection>[1]): NeedRow[] =>
    byReview(inSection(all, section).map(needRow), shown.reviews);
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

/** Puts reviews in the order of their risk, where the first of them was, and adds the weightiest reason. */
function byReview(rows: readonly NeedRow[], reviews: readonly Review[]): NeedRow[] {
  const order = new Map(reviews.map(({ id }, at) => [id, at]));
  const isReview = ({ id, word }: NeedRow): boolean => order.has(id) && word === "review";
  const sorted = rows
    .filter(isReview)
    .toSorted((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
  return rows.map((row) => (isReview(row) ? withRisk(sorted.shift() ?? row, reviews) : row));
}

function withRisk(row: NeedRow, reviews: readonly Review[]): NeedRow {
  const risk = reviews.find(({ id }) => id === row.id)?.risk;
  const [reason] = risk?.reasons ?? [];
  if (risk === undefined || risk.level === "low" || reason === undefined) return row;
  return { ...row, about: [...row.about, `${risk.level} risk: ${short(reason.text)}`] };
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
  const words = shown.map((conflict) => {
    const { sides, files } = conflictWords(conflict);
    return { sides: plain(sides), files: short(files) };
  });
  const width = Math.max(...words.map(({ sides }) => sides.length));
  const more = conflicts.length - shown.length;
  return [
    paint("bold", "Conflicts ahead"),
    ...words.map(
      ({ sides, files }) =>
        `  ${paint("yellow", "⚠")} ${sides.padEnd(width)}  ${paint("dim", files)}`,
    ),
    ...(more > 0 ? [paint("dim", `  and ${more} more: \`saga status --json\``)] : []),
    paint("dim", `  ${CONFLICTS_ABOUT}`),
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

function runningLines(shown: ShownStatus, paint: Paint): string[] {
  const { running, unreadable, epics, all, usual, isWatched } = shown;
  const nowMs = Date.now();
  const landing = new Set(inSection(all, "landing").map(({ view }) => view.record.id));
  const runs = epics.map(({ epicId, lease: { record } }): RunningRow => {
    const text = `epic run, for ${duration(nowMs - Date.parse(record.takenAt))}`;
    return { id: epicId, state: "running", text };
  });
  const atWork = running.filter(({ view }) => !landing.has(view.record.id));
  const table = isWatched && atWork.length > 0 ? runningTable(atWork, { nowMs, usual }, paint) : [];
  const listed = isWatched ? [] : atWork;
  const stories = listed.map(({ view, run, lastToolUse }): RunningRow => {
    const { completed, total, inHand } = progress(view);
    const parts = [
      `${completed} of ${count(total, "task")}`,
      inHand.length > 0 && `on ${inHand.join(", ")}`,
      run && `for ${duration(nowMs - Date.parse(run.startedAt))}`,
      lastToolUse && `last tool use ${duration(nowMs - Date.parse(lastToolUse))} ago`,
      run && run.costUsd > 0 && usd(run.costUsd, run.costIsEstimate),
      usual && timeLeftText(storyTimeLeftMs(view, usual)),
    ].filter(Boolean);
    const where = run?.machine === undefined ? "" : `${run.machine}: `;
    return { id: view.record.id, state: view.state, text: `${where}${parts.join(", ")}` };
  });
  const unread = unreadable.map((id): RunningRow => ({
    id,
    state: "running",
    text: "running, but its files cannot be read",
  }));
  const rows = [...runs, ...stories, ...unread];
  const width = Math.max(...rows.map(({ id }) => id.length));
  const lines = rows.map(
    ({ id, state, text }) =>
      `  ${stateMark(state, paint)} ${id.padEnd(width)}  ${paint("dim", text)}`,
  );
  if (rows.length + table.length === 0) return [];
  const note = usual && atWork.length > 0 ? [paint("dim", `  ${estimateNote(usual)}`)] : [];
  return [paint("bold", "Running"), ...lines, ...table, ...note];
}
