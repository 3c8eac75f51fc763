// Times as places on a line, and the ticks below it. Pure; all in milliseconds.

import type { Timeline } from "../../protocol/details.ts";

export interface Lane {
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

/** One lane for each story, the one that worked last on top. */
export function lanesOf(bars: readonly Bar[]): Lane[] {
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

const lastStart = ({ bars }: Lane): string => bars.at(-1)?.startedAt ?? "";

/** However little was done: shorter, and a minute would look like a day. */
const SHORTEST_MS = 10 * MINUTE;

/** From the first bar to the end of the last, with a little room. It ends now while something runs. */
export function spanOf(bars: readonly Bar[], live: ReadonlySet<string>, nowMs: number): Span {
  const ends = bars.map((bar) => endOf(bar, live.has(bar.run), nowMs));
  const last = Math.max(...ends);
  const starts = bars.map(({ startedAt }) => Date.parse(startedAt));
  const first = Math.min(last - SHORTEST_MS, ...starts);
  const room = (last - first) * 0.02;
  return { fromMs: first - room, toMs: last + room };
}

/** A run that was killed said nothing of its end: it is not drawn as if it went on. */
export function endOf({ startedAt, endedAt }: Bar, isLive: boolean, nowMs: number): number {
  if (endedAt !== undefined) return Date.parse(endedAt);
  return isLive ? nowMs : Date.parse(startedAt);
}

/** Where a time is, from 0 to 1. */
export const placeOf = (ms: number, { fromMs, toMs }: Span): number =>
  Math.max(0, Math.min(1, (ms - fromMs) / (toMs - fromMs)));

/** Round times, as many as there is room for. `zoneMs` is what local time is ahead of UTC. */
export function ticksOf({ fromMs, toMs }: Span, mostTicks: number, zoneMs: number): number[] {
  const step = STEPS.find((one) => (toMs - fromMs) / one <= mostTicks) ?? 7 * DAY;
  const first = Math.ceil((fromMs + zoneMs) / step) * step - zoneMs;
  const count = Math.max(0, Math.floor((toMs - first) / step) + 1);
  return Array.from({ length: count }, (_, at) => first + at * step);
}

/** Days where the span is days long, else the time of day. */
export function tickText(ms: number, span: Span): string {
  const date = new Date(ms);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  if (isMidnight || span.toMs - span.fromMs > 4 * DAY) {
    return date.toLocaleDateString("en", { month: "short", day: "numeric" });
  }
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

/** Where a lane leads: to its story, or to the pool, whose workers have runs under names of their own. */
export const addressOf = ({ story }: Pick<Lane, "story">): string =>
  /^auto-\d+$/.test(story) ? "/pool" : `/story/${story}/runs`;
