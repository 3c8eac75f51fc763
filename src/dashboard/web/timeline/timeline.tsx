import { useState } from "react";
import { isSameList, useDetail, useDerived, useHasSnapshot } from "../live/hooks.ts";
import type { Timeline } from "../../protocol/details.ts";
import { Loading, Empty, Page } from "../parts/layout.tsx";
import { Segments } from "../parts/field.tsx";
import { useMinute } from "../parts/time.tsx";
import { duration, money } from "../words/format.ts";
import { isAtWork } from "../words/states.ts";
import { TimelineChart } from "./timeline-chart.tsx";
import { endOf } from "./timeline-scale.ts";

const SPANS = [
  { value: 1, shown: "Day" },
  { value: 7, shown: "Week" },
  { value: 30, shown: "Month" },
] as const;

export function TimelinePage() {
  const [days, setDays] = useState<number>(7);
  const hasSnapshot = useHasSnapshot();
  const { value, error } = useDetail<Timeline>(`/api/timeline?days=${days}`, useRunsVersion());
  const bars = value?.bars ?? [];
  return (
    <Page
      title="Timeline"
      aside={
        <Segments
          label="Period"
          value={days}
          segments={SPANS}
          className="px-3 text-xs font-medium text-soft"
          onChange={setDays}
        />
      }
    >
      {error !== undefined && <p className="mb-4 text-sm text-bad">{error}</p>}
      {value === undefined || !hasSnapshot ? (
        error === undefined && <Loading what="the timeline" />
      ) : bars.length === 0 ? (
        <Empty>No runs in this period.</Empty>
      ) : (
        <Chart bars={bars} />
      )}
    </Page>
  );
}

/** Changes whenever a run starts or ends: a sum of times, which in practice is never the same twice. */
const useRunsVersion = (): number =>
  useDerived(({ stories }) =>
    Object.values(stories).reduce(
      (sum, { run }) => sum + timeOf(run?.startedAt) + timeOf(run?.endedAt),
      0,
    ),
  );

const timeOf = (at: string | undefined): number => (at === undefined ? 0 : Date.parse(at));

function Chart({ bars }: { bars: Timeline["bars"] }) {
  const runs = useDerived(
    ({ stories }) =>
      Object.values(stories).flatMap((one) => (isAtWork(one) ? (one.run?.id ?? []) : [])),
    isSameList,
  );
  const live = new Set(runs);
  return (
    <>
      <Sums bars={bars} live={live} />
      <TimelineChart bars={bars} live={live} />
    </>
  );
}

function Sums({ bars, live }: { bars: Timeline["bars"]; live: ReadonlySet<string> }) {
  const nowMs = useMinute();
  const worked = bars.reduce(
    (sum, bar) => sum + endOf(bar, live.has(bar.run), nowMs) - Date.parse(bar.startedAt),
    0,
  );
  const cost = bars.reduce((sum, { costUsd }) => sum + costUsd, 0);
  return (
    <p className="figure mb-4 flex flex-wrap gap-x-5 text-sm text-soft">
      <span>{bars.length === 1 ? "1 run" : `${bars.length} runs`}</span>
      <span>{duration(worked)} of work</span>
      <span>
        {money(
          cost,
          bars.some(({ costIsEstimate }) => costIsEstimate),
        )}
      </span>
    </p>
  );
}
