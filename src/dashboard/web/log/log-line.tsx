import { memo, useState } from "react";
import { clock } from "../words/format.ts";
import { matchesIn } from "./filter.ts";
import type { LogRow, LoggedAnswer } from "./rows.ts";

const TONES: Readonly<Record<LogRow["tone"], string>> = {
  plain: "text-ink",
  good: "text-good",
  bad: "text-bad",
  dim: "text-faint",
  loud: "text-ink font-semibold",
};

/** One line, truncated. A click shows all of it. */
export const LogLine = memo(
  ({ row, search, isLive }: { row: LogRow; search: string; isLive: boolean }) => {
    const [isOpen, setOpen] = useState(false);
    const cut = isOpen ? "whitespace-pre-wrap wrap-anywhere" : "truncate";
    return (
      <button
        type="button"
        // Tab would stop at a thousand lines; j and k step through them instead.
        tabIndex={-1}
        data-row=""
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="grid w-full grid-cols-[4.1rem_5.5rem_minmax(0,1fr)_auto] items-baseline gap-x-3 px-4 py-1 text-left font-mono text-xs leading-5 -outline-offset-2 select-text hover:bg-hover max-md:grid-cols-[4.1rem_minmax(0,1fr)_auto]"
      >
        <time dateTime={row.at} className="figure text-faint">
          {clock(row.at)}
        </time>
        <span className={`truncate ${row.kind === "tools" ? "text-accent" : TONES[row.tone]}`}>
          <Marked text={row.head} search={search} />
        </span>
        <ToolDuration row={row} isLive={isLive} />
        <span
          className={`min-w-0 max-md:col-span-3 md:order-1 ${row.kind === "says" ? "font-sans text-[0.8667rem] text-ink" : TONES[row.tone]}`}
        >
          <span className={`block ${cut}`}>
            <Marked text={row.text} search={search} />
          </span>
          {row.answer && (isOpen || row.answer.isError) && row.answer.text !== "" && (
            <span className={`block ${row.answer.isError ? "text-bad" : "text-faint"} ${cut}`}>
              <Marked text={row.answer.text} search={search} />
            </span>
          )}
        </span>
      </button>
    );
  },
);

/** How long a tool took, or that it is still running. */
function ToolDuration({ row, isLive }: { row: LogRow; isLive: boolean }) {
  if (row.kind !== "tools" && row.answer === undefined) return <span className="md:order-2" />;
  return (
    <span className="figure text-right text-2xs text-faint md:order-2">
      {durationText(row.answer, isLive)}
    </span>
  );
}

function durationText(answer: LoggedAnswer | undefined, isLive: boolean): string {
  if (answer === undefined) return isLive ? "running" : "";
  if (answer.ms === undefined) return "";
  return answer.ms < 1000 ? `${Math.round(answer.ms)} ms` : `${(answer.ms / 1000).toFixed(1)} s`;
}

function Marked({ text, search }: { text: string; search: string }) {
  const matches = matchesIn(text, search);
  if (matches.length === 0) return text;
  const parts = matches.map(([from, to], at) => (
    <span key={from}>
      {text.slice(matches[at - 1]?.[1] ?? 0, from)}
      <mark>{text.slice(from, to)}</mark>
    </span>
  ));
  return (
    <>
      {parts}
      {text.slice(matches.at(-1)?.[1])}
    </>
  );
}
