// The batches that were merged before, and the checks that merging together saved.

import type { BatchCard, LaneCard } from "../../protocol/landing.ts";
import { Disclosure } from "../parts/disclosure.tsx";
import { Id } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Ago } from "../parts/time.tsx";
import { count, duration } from "../words/format.ts";
import type { Look } from "../words/states.ts";
import { EntryName } from "./entry-name.tsx";
import { savedText } from "./lane-groups.ts";

const MERGED: Look = { word: "Merged", tone: "good", mark: "check" };
const SENT_BACK: Look = { word: "Sent back", tone: "ask", mark: "back" };

export function LaneHistory({ lane: { recent, checks } }: { lane: LaneCard }) {
  if (recent.length === 0) return null;
  const [first, ...rest] = recent;
  return (
    <div className="rounded-xl border border-line px-4 py-3 md:px-5">
      <div className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <h3 className="text-sm font-medium">Merged before</h3>
        <span className="figure text-xs text-faint">{savedText(checks)}</span>
      </div>
      <ol className="space-y-3">{first && <BatchRow batch={first} />}</ol>
      {rest.length > 0 && (
        <Disclosure word={`${count(rest.length, "batch", "batches")} before`} className="mt-3">
          <ol className="mt-3 space-y-3">
            {rest.map((batch) => (
              <BatchRow key={batch.at} batch={batch} />
            ))}
          </ol>
        </Disclosure>
      )}
    </div>
  );
}

function BatchRow({ batch }: { batch: BatchCard }) {
  const { at, ms, landed, ejected, commit } = batch;
  return (
    <li className="text-sm">
      <ul className="space-y-1">
        {landed.map((name) => (
          <li key={name} className="flex items-center gap-2">
            <StateMark look={MERGED} className="size-3.5" />
            <EntryName name={name} className="truncate" />
          </li>
        ))}
        {ejected !== undefined && (
          <li className="flex items-center gap-2">
            <StateMark look={SENT_BACK} className="size-3.5" />
            <span className="min-w-0 truncate">
              <EntryName name={ejected} /> <span className="text-faint">failed the checks</span>
            </span>
          </li>
        )}
      </ul>
      <p className="mt-1 flex flex-wrap gap-x-2 pl-5.5 text-xs text-faint">
        <Ago at={at} /> · <span className="figure">{duration(ms)}</span> · {checksText(batch)}
        {landed.length > 0 && <Id>{commit.slice(0, 10)}</Id>}
      </p>
    </li>
  );
}

const checksText = ({ checksRun, checksReused, hasFlaky }: BatchCard): string =>
  [
    checksRun > 0 || checksReused === 0 ? count(checksRun, "check") : undefined,
    checksReused > 0 ? `${checksReused} reused` : undefined,
    hasFlaky ? "flaky" : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(", ");
