import type { Timeline } from "../protocol/details.ts";
import type { RunsCache } from "../project/runs-cache.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;
const DEFAULT_DAYS = 7;

/** The runs of the last days, oldest first. */
export function timelineOf(
  runs: Pick<RunsCache, "of" | "stories">,
  days: number,
  nowMs: number,
): Timeline {
  const validDays = Number.isFinite(days) ? Math.min(Math.max(days, 1), MAX_DAYS) : DEFAULT_DAYS;
  const from = nowMs - validDays * DAY_MS;
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
