// One lane of bars for each story. SVG in percent, so that it fits any width without a script.

import { Link } from "wouter";
import { isAtWork, runLook, type Tone } from "../words/states.ts";
import { duration, money } from "../words/format.ts";
import type { Timeline } from "../../protocol/details.ts";
import { useEntity } from "../live/hooks.ts";
import { Id, Panel } from "../parts/layout.tsx";
import { Legend, type LegendEntry } from "../parts/legend.tsx";
import { TONE_MARK } from "../parts/state-mark.tsx";
import { useMinute } from "../parts/time.tsx";
import {
  addressOf,
  endOf,
  lanesOf,
  positionOf,
  spanOf,
  tickText,
  ticksOf,
  type Bar,
  type TimelineLane,
  type Span,
} from "./timeline-scale.ts";

const MAX_TICKS = 9;
const MAX_TICKS_ON_PHONE = 4;
/** On a phone the bars are in a separate row, as wide as the screen. */
const ROW = "grid grid-cols-[minmax(0,1fr)_auto] md:grid-cols-[14rem_minmax(0,1fr)_5.5rem]";

export function TimelineChart({
  bars,
  live,
}: {
  bars: Timeline["bars"];
  live: ReadonlySet<string>;
}) {
  const nowMs = useMinute();
  const span = spanOf(bars, live, nowMs);
  const maxTicks = matchMedia("(width < 48rem)").matches ? MAX_TICKS_ON_PHONE : MAX_TICKS;
  const ticks = ticksOf(span, maxTicks, -new Date(nowMs).getTimezoneOffset() * 60_000);
  return (
    <>
      <Panel className="overflow-hidden">
        <div className={`${ROW} border-b border-line text-2xs text-faint`}>
          <span className="px-4 py-2">Story</span>
          <span
            className="relative h-8 max-md:order-last max-md:col-span-2 max-md:mx-4"
            aria-hidden="true"
          >
            {ticks.map((tick) => (
              <span
                key={tick}
                className="figure absolute top-2 -translate-x-1/2 whitespace-nowrap"
                style={{ left: `${positionOf(tick, span) * 100}%` }}
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
      </Panel>
      <Legend entries={outcomeEntries(bars, live)} className="mt-3" />
    </>
  );
}

/** One entry for each colour in use, with all its outcomes. */
function outcomeEntries(bars: readonly Bar[], live: ReadonlySet<string>): LegendEntry[] {
  const words = new Map<Tone, Set<string>>();
  for (const { outcome, endedAt, run } of bars) {
    const { tone, word } = runLook(outcome, endedAt, live.has(run));
    words.set(tone, (words.get(tone) ?? new Set()).add(word));
  }
  return [...words].map(([tone, own]) => ({
    key: tone,
    word: [...own].join(", "),
    fill: `bg-current ${TONE_MARK[tone]}`,
  }));
}

interface ChartScale {
  readonly span: Span;
  readonly nowMs: number;
}

function LaneRow({
  lane,
  span,
  ticks,
  nowMs,
}: ChartScale & { lane: TimelineLane; ticks: readonly number[] }) {
  const story = useEntity("stories", lane.story);
  // Only the newest run can be live: earlier ones have ended, even without a record of it.
  const liveRun = story !== undefined && isAtWork(story) ? story.run?.id : undefined;
  return (
    <li className={`${ROW} items-stretch border-line hover:bg-hover max-md:border-b md:h-13`}>
      <Link href={addressOf(lane)} data-row="" className="min-w-0 px-4 py-2 -outline-offset-2">
        <span className="block truncate text-sm">{story?.title ?? lane.story}</span>
        {story && <Id className="block truncate text-2xs">{lane.story}</Id>}
      </Link>
      <svg
        role="img"
        aria-label={lane.bars.map((bar) => barText(bar, bar.run === liveRun, nowMs)).join("; ")}
        className="h-13 w-full max-md:order-last max-md:col-span-2 max-md:mx-4 max-md:h-8 max-md:w-auto"
      >
        {ticks.map((tick) => (
          <line
            key={tick}
            x1={`${positionOf(tick, span) * 100}%`}
            x2={`${positionOf(tick, span) * 100}%`}
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

function BarMark({ bar, isLive, span, nowMs }: ChartScale & { bar: Bar; isLive: boolean }) {
  const from = positionOf(Date.parse(bar.startedAt), span);
  const to = positionOf(endOf(bar, isLive, nowMs), span);
  const look = runLook(bar.outcome, bar.endedAt, isLive);
  return (
    <rect
      x={`${from * 100}%`}
      // Keeps the shortest run visible.
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
  const lasted = isLive || bar.endedAt !== undefined ? duration(ms) : "duration unknown";
  return `${word}, ${from}, ${lasted}, ${money(bar.costUsd, bar.costIsEstimate)}`;
}
