// Who worked on what, and when: the runs of the last days.

import type { Timeline } from "../protocol/details.ts";
import type { RunsCache } from "../project/runs-cache.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;

export function timelineOf(
  runs: Pick<RunsCache, "of" | "stories">,
  days: number,
  nowMs: number,
): Timeline {
  const shown = Number.isFinite(days) ? Math.min(Math.max(days, 1), MAX_DAYS) : 7;
  const from = nowMs - shown * DAY_MS;
  const bars = [...runs.stories()].flatMap((story) =>
    runs
      .of(story)
      .filter(({ startedAt, endedAt }) => Date.parse(endedAt ?? startedAt) >= from)
      .map(({ id, startedAt, endedAt, outcome, costUsd, costIsEstimate }) => ({
        story,
        run: id,
        startedAt,
        endedAt,
        outcome,
        costUsd,
        ...(costIsEstimate && { costIsEstimate }),
      })),
  );
  return { bars: bars.toSorted((one, other) => (one.startedAt < other.startedAt ? -1 : 1)) };
}
