// The live log of a run, with a choice of run and a filter.

import { useDeferredValue, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { useLog } from "../live/hooks.ts";
import { asText, countKinds, filterRows, NO_FILTER, type LogFilter } from "../log/filter.ts";
import { LogLines } from "../log/log-lines.tsx";
import { LogToolbar } from "../log/log-toolbar.tsx";
import { withKilledEnd } from "../log/rows.ts";
import type { RunCard } from "../../protocol/messages.ts";
import { Empty } from "../parts/layout.tsx";
import { isAtWork, isKilledRun } from "../words/states.ts";
import type { TabProps } from "./story-page.tsx";

export function LogTab({ story, detail }: TabProps) {
  const [parameters, setParameters] = useSearchParams();
  const runs = runsOf(story.run, detail.runs);
  const wanted = parameters.get("run");
  const run = runs.find(({ id }) => id === wanted) ?? runs[0];
  if (run === undefined) return <Empty>No runs yet.</Empty>;
  const liveRun = isAtWork(story) ? story.run?.id : undefined;
  return (
    <RunLog
      key={run.id}
      story={story.id}
      run={run}
      runs={runs}
      liveRun={liveRun}
      onRun={(id) => setParameters({ run: id }, { replace: true })}
    />
  );
}

/** Newest first. A new run appears on the card before it is in the details. */
function runsOf(current: RunCard | undefined, known: readonly RunCard[]): RunCard[] {
  const all = new Map([...known, ...(current ? [current] : [])].map((run) => [run.id, run]));
  return [...all.values()].toSorted((one, other) => other.startedAt.localeCompare(one.startedAt));
}

function RunLog({
  story,
  run,
  runs,
  liveRun,
  onRun,
}: {
  story: string;
  run: RunCard;
  runs: readonly RunCard[];
  liveRun: string | undefined;
  onRun: (id: string) => void;
}) {
  const { rows: written, isLoading } = useLog(story, run.id);
  const isLive = run.id === liveRun;
  const isKilled = isKilledRun(run, isLive);
  const rows = useMemo(
    () => (isKilled ? withKilledEnd(written, run.startedAt) : written),
    [written, isKilled, run.startedAt],
  );
  const [filter, setFilter] = useState<LogFilter>(NO_FILTER);
  const [isAtEnd, setFollowing] = useState(true);
  const wanted = useDeferredValue(filter);
  const shown = useMemo(() => filterRows(rows, wanted), [rows, wanted]);
  const counts = useMemo(() => countKinds(rows), [rows]);
  return (
    <div>
      <LogToolbar
        runs={runs}
        run={run.id}
        liveRun={liveRun}
        onRun={onRun}
        filter={filter}
        onFilter={setFilter}
        counts={counts}
        isLive={isLive}
        isFollowing={isAtEnd && isLive}
        onFollow={setFollowing}
        text={() => asText(shown)}
      />
      {isLoading ? (
        <p role="status" className="py-10 text-center text-sm text-faint">
          Waiting for the first line…
        </p>
      ) : (
        <LogLines
          rows={shown}
          search={wanted.search}
          isLive={isLive}
          isFollowing={isAtEnd}
          onFollow={setFollowing}
        />
      )}
    </div>
  );
}
