// A lane as the page receives it. Pure. Nothing in it depends on the time of reading: an unchanged lane is sent once.

import { laneName } from "../../story/landing/entry.ts";
import type { LandedBatch, LandingNow } from "../../story/landing/history.ts";
import type { LaneEntry, LaneView } from "../../story/landing/lane-view.ts";
import type { BatchCard, LaneCard, LaneEntryCard } from "../protocol/landing.ts";

export function laneCard(
  { lane, hasLander, now, entries, recent, checks, flaky }: LaneView,
  { target, nowMs }: { readonly target: string; readonly nowMs: number },
): LaneCard {
  return {
    id: laneName(lane),
    target,
    hasLander,
    ...(now && { now: nowCard(now) }),
    entries: entries.map((entry) => entryCard(entry, now !== undefined, nowMs)),
    recent: recent.map(batchCard),
    checks,
    flaky,
  };
}

/** Without the path of the output: the page follows that by the lane. */
const nowCard = ({
  entries,
  step,
  command,
  candidate,
  startedAt,
  machine,
}: LandingNow): LaneCard["now"] => ({
  entries,
  step,
  command,
  candidate,
  startedAt,
  ...(machine !== undefined && { machine }),
});

function entryCard(entry: LaneEntry, isLanding: boolean, nowMs: number): LaneEntryCard {
  const { etaMs, ...shown } = entry;
  if (etaMs === undefined) return shown;
  if (!isLanding) return { ...shown, etaMs };
  // Overdue: it would be a new time with each reading.
  return etaMs === 0 ? shown : { ...shown, landsAt: new Date(nowMs + etaMs).toISOString() };
}

const batchCard = ({ at, ms, landed, ejected, to, checks, flaky }: LandedBatch): BatchCard => ({
  at,
  ms,
  landed,
  ejected,
  commit: to,
  checksRun: checks.filter(({ isReused }) => !isReused).length,
  checksReused: checks.filter(({ isReused }) => isReused).length,
  hasFlaky: flaky.length > 0,
});
