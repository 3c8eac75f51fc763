// Bars in lanes, one lane for each story. Plain SVG in percent, so that it fits any width without a script.

import { Link } from "wouter";
import { isAtWork, runLook } from "../words/states.ts";
import { duration, money } from "../words/format.ts";
import type { Timeline } from "../../protocol-details.ts";
import { useEntity } from "../live/hooks.ts";
import { Id, Panel } from "../parts/layout.tsx";
import { TONE_MARK } from "../parts/state-mark.tsx";
import { useMinute } from "../parts/time.tsx";
import {
  addressOf,
  endOf,
  lanesOf,
  placeOf,
  spanOf,
  tickText,
  ticksOf,
  type Bar,
  type Lane,
  type Span,
} from "./timeline-scale.ts";

const MOST_TICKS = 9;

export function TimelineChart({ bars }: { bars: Timeline["bars"] }) {
  const nowMs = useMinute();
  const span = spanOf(bars, nowMs);
  const ticks = ticksOf(span, MOST_TICKS, -new Date(nowMs).getTimezoneOffset() * 60_000);
  return (
    <Panel className="overflow-x-auto">
      <div className="min-w-[44rem]">
        <div className="grid grid-cols-[14rem_minmax(0,1fr)_5.5rem] border-b border-line text-2xs text-faint">
          <span className="px-4 py-2">Story</span>
          <span className="relative" aria-hidden="true">
            {ticks.map((tick) => (
              <span
                key={tick}
                className="figure absolute top-2 -translate-x-1/2 whitespace-nowrap"
                style={{ left: `${placeOf(tick, span) * 100}%` }}
              >
                {tickText(tick, span)}
              </span>
            ))}
          </span>
          <span className="px-4 py-2 text-right">Cost</span>
        </div>
        <ul>
          {lanesOf(bars).map((lane) => (
            <LaneRow key={lane.story} lane={lane} span={span} ticks={ticks} nowMs={nowMs} />
          ))}
        </ul>
      </div>
    </Panel>
  );
}

interface Drawn {
  readonly span: Span;
  readonly nowMs: number;
}

function LaneRow({ lane, span, ticks, nowMs }: Drawn & { lane: Lane; ticks: readonly number[] }) {
  const story = useEntity("stories", lane.story);
  // Of a story that was resumed, the runs before have ended, whether they could say so or not.
  const liveRun = story !== undefined && isAtWork(story) ? story.run?.id : undefined;
  return (
    <li className="grid grid-cols-[14rem_minmax(0,1fr)_5.5rem] h-13 items-stretch hover:bg-hover">
      <Link href={addressOf(lane)} data-row="" className="min-w-0 px-4 py-2 -outline-offset-2">
        <span className="block truncate text-sm">{story?.title ?? lane.story}</span>
        {story && <Id className="block truncate text-2xs">{lane.story}</Id>}
      </Link>
      <svg
        role="img"
        aria-label={lane.bars.map((bar) => barText(bar, bar.run === liveRun, nowMs)).join("; ")}
        className="h-13 w-full"
      >
        {ticks.map((tick) => (
          <line
            key={tick}
            x1={`${placeOf(tick, span) * 100}%`}
            x2={`${placeOf(tick, span) * 100}%`}
            y1="0"
            y2="100%"
            className="stroke-line"
          />
        ))}
        {lane.bars.map((bar) => (
          <BarMark key={bar.run} bar={bar} isLive={bar.run === liveRun} span={span} nowMs={nowMs} />
        ))}
      </svg>
      <span className="figure self-center px-4 text-right text-xs whitespace-nowrap text-soft">
        {money(
          lane.costUsd,
          lane.bars.some((bar) => bar.costIsEstimate),
        )}
      </span>
    </li>
  );
}

function BarMark({ bar, isLive, span, nowMs }: Drawn & { bar: Bar; isLive: boolean }) {
  const from = placeOf(Date.parse(bar.startedAt), span);
  const to = placeOf(endOf(bar, isLive, nowMs), span);
  const look = runLook(bar.outcome, bar.endedAt, isLive);
  return (
    <rect
      x={`${from * 100}%`}
      // The shortest run is still seen.
      width={`${Math.max((to - from) * 100, 0.5)}%`}
      y="32%"
      height="36%"
      rx="4"
      fill="currentColor"
      className={TONE_MARK[look.tone]}
    >
      <title>{barText(bar, isLive, nowMs)}</title>
    </rect>
  );
}

function barText(bar: Bar, isLive: boolean, nowMs: number): string {
  const { word } = runLook(bar.outcome, bar.endedAt, isLive);
  const from = new Date(bar.startedAt).toLocaleString();
  const ms = endOf(bar, isLive, nowMs) - Date.parse(bar.startedAt);
  const lasted = isLive || bar.endedAt !== undefined ? duration(ms) : "nobody knows how long";
  return `${word}, ${from}, ${lasted}, ${money(bar.costUsd, bar.costIsEstimate)}`;
}
