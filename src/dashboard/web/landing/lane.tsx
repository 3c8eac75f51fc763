import { ActButton } from "../actions/act-button.tsx";
import { useEntity } from "../live/hooks.ts";
import { Empty, Section } from "../parts/layout.tsx";
import { LaneEntries } from "./lane-entries.tsx";
import { LaneHistory } from "./lane-history.tsx";
import { LaneNow } from "./lane-now.tsx";

/** One target branch. */
export function LaneSection({ id }: { id: string }) {
  const lane = useEntity("lanes", id);
  if (lane === undefined) return null;
  const { target, hasLander, now, entries, flaky } = lane;
  const isIdle = !hasLander && entries.some(({ batch }) => batch !== undefined);
  return (
    <Section
      title={target}
      count={entries.length === 0 ? undefined : entries.length}
      aside={isIdle && <RunQueue />}
    >
      <div className="space-y-3">
        {flaky.length > 0 && <FlakyChecks commands={flaky} />}
        {now && <LaneNow lane={id} now={now} target={target} />}
        {entries.length === 0 ? <Empty>The queue is empty.</Empty> : <LaneEntries lane={lane} />}
        <LaneHistory lane={lane} />
      </div>
    </Section>
  );
}

/** The commands that asked for the merges are gone: anyone may continue. */
function RunQueue() {
  return (
    <span className="flex items-center gap-3 text-xs text-faint">
      <span className="hidden sm:inline">No process is merging.</span>
      <ActButton look="main" className="h-7 text-xs" act={{ act: "queue-run" }}>
        Merge the queue
      </ActButton>
    </span>
  );
}

function FlakyChecks({ commands }: { commands: readonly string[] }) {
  return (
    <ul className="space-y-1 rounded-xl bg-ask-wash px-4 py-2.5 text-sm text-ask">
      {commands.map((command) => (
        <li key={command}>
          Flaky check: <code className="font-mono text-xs">{command}</code> failed and passed on the
          same code.
        </li>
      ))}
    </ul>
  );
}
