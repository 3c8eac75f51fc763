// Positions of times on the timeline, and its ticks. Pure; all in milliseconds.

import type { Timeline } from "../../protocol/details.ts";

export interface TimelineLane {
  readonly story: string;
  readonly bars: readonly Bar[];
  readonly costUsd: number;
}

export type Bar = Timeline["bars"][number];

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
];

/** One lane for each story, the last active one on top. */
export function lanesOf(bars: readonly Bar[]): TimelineLane[] {
  const byStory = new Map<string, Bar[]>();
  for (const bar of bars) byStory.set(bar.story, [...(byStory.get(bar.story) ?? []), bar]);
  return [...byStory]
    .map(([story, own]) => ({
      story,
      bars: own.toSorted((one, other) => one.startedAt.localeCompare(other.startedAt)),
      costUsd: own.reduce((sum, { costUsd }) => sum + costUsd, 0),
    }))
    .toSorted((one, other) => lastStart(other).localeCompare(lastStart(one)));
}

const lastStart = ({ bars }: TimelineLane): string => bars.at(-1)?.startedAt ?? "";

/** A shorter span would make a minute look like a day. */
const MIN_SPAN_MS = 10 * MINUTE;

/** From the first bar to the end of the last, with a margin. Ends now while a run is live. */
export function spanOf(bars: readonly Bar[], live: ReadonlySet<string>, nowMs: number): Span {
  const ends = bars.map((bar) => endOf(bar, live.has(bar.run), nowMs));
  const last = Math.max(...ends);
  const starts = bars.map(({ startedAt }) => Date.parse(startedAt));
  const first = Math.min(last - MIN_SPAN_MS, ...starts);
  const margin = (last - first) * 0.02;
  return { fromMs: first - margin, toMs: last + margin };
}

/** A killed run has no end time: it is not drawn as if it were running. */
export function endOf({ startedAt, endedAt }: Bar, isLive: boolean, nowMs: number): number {
  if (endedAt !== undefined) return Date.parse(endedAt);
  return isLive ? nowMs : Date.parse(startedAt);
}

/** From 0 to 1. */
export const positionOf = (ms: number, { fromMs, toMs }: Span): number =>
  Math.max(0, Math.min(1, (ms - fromMs) / (toMs - fromMs)));

/** Round times, at most about `maxTicks`. `zoneMs` is the offset of local time from UTC. */
export function ticksOf({ fromMs, toMs }: Span, maxTicks: number, zoneMs: number): number[] {
  const step = STEPS.find((one) => (toMs - fromMs) / one <= maxTicks) ?? 7 * DAY;
  const first = Math.ceil((fromMs + zoneMs) / step) * step - zoneMs;
  const count = Math.max(0, Math.floor((toMs - first) / step) + 1);
  return Array.from({ length: count }, (_, at) => first + at * step);
}

/** The date at midnight and in long spans, otherwise the time of day. */
export function tickText(ms: number, span: Span): string {
  const date = new Date(ms);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  if (isMidnight || span.toMs - span.fromMs > 4 * DAY) {
    return date.toLocaleDateString("en", { month: "short", day: "numeric" });
  }
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

/** Links to the story, or to the pool, whose workers have runs under their own names. */
export const addressOf = ({ story }: Pick<TimelineLane, "story">): string =>
  /^auto-\d+$/.test(story) ? "/pool" : `/story/${story}/runs`;
