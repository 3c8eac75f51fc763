import type { RunCard } from "../../protocol/messages.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Select, TextField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { runLook } from "../words/states.ts";
import { withKind, type LogFilter } from "./filter.ts";
import { ROW_KINDS, type RowKind } from "./rows.ts";

const WORDS: Readonly<Record<RowKind, string>> = {
  tools: "Tools",
  says: "Messages",
  tasks: "Tasks",
  gates: "Checks",
  problems: "Problems",
  steps: "Steps",
};

interface ToolbarProps {
  readonly runs: readonly RunCard[];
  readonly run: string;
  /** The current run, if it is live. */
  readonly liveRun: string | undefined;
  readonly onRun: (id: string) => void;
  readonly filter: LogFilter;
  readonly onFilter: (filter: LogFilter) => void;
  readonly counts: Readonly<Record<RowKind, number>>;
  readonly isLive: boolean;
  readonly isFollowing: boolean;
  readonly onFollow: (isFollowing: boolean) => void;
  readonly text: () => string;
}

export function LogToolbar({ filter, onFilter, counts, ...rest }: ToolbarProps) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <TextField
        label="Search the log"
        isLabelHidden
        type="search"
        placeholder="Search the log"
        className="min-w-44 flex-1"
        value={filter.search}
        onChange={(event) => onFilter({ ...filter, search: event.target.value })}
      />
      <div role="group" aria-label="Show only" className="flex flex-wrap gap-1">
        {ROW_KINDS.map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={filter.kinds.has(kind)}
            onClick={() => onFilter({ ...filter, kinds: withKind(filter.kinds, kind) })}
            className="figure h-8 rounded-lg border border-line px-2.5 text-xs text-soft hover:border-edge aria-pressed:border-accent aria-pressed:bg-accent-wash aria-pressed:text-accent"
          >
            {WORDS[kind]} <span className="text-faint">{counts[kind]}</span>
          </button>
        ))}
      </div>
      <RunSelect {...rest} />
      <button
        type="button"
        aria-pressed={rest.isFollowing}
        disabled={!rest.isLive}
        onClick={() => rest.onFollow(!rest.isFollowing)}
        className="inline-flex h-8 items-center gap-1.5 rounded-lg border border-line px-2.5 text-xs text-soft hover:border-edge disabled:opacity-50 aria-pressed:border-accent aria-pressed:bg-accent-wash aria-pressed:text-accent"
      >
        <Icon name="down" className="size-3.5" />
        Follow
      </button>
      <CopyButton text={rest.text} what="the visible log" />
    </div>
  );
}

type RunSelectProps = Pick<ToolbarProps, "runs" | "run" | "liveRun" | "onRun">;

function RunSelect({ runs, run, liveRun, onRun }: RunSelectProps) {
  if (runs.length < 2) return null;
  return (
    <Select
      label="Run"
      value={run}
      options={runs.map(({ id, startedAt, endedAt, outcome }) => {
        const { word } = runLook(outcome, endedAt, id === liveRun);
        return { value: id, word: `${new Date(startedAt).toLocaleString()} ${word.toLowerCase()}` };
      })}
      onChange={onRun}
    />
  );
}
