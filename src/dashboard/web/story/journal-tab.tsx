import type { JournalCard } from "../../protocol-details.ts";
import { Nothing } from "../parts/layout.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Ago } from "../parts/time.tsx";
import type { Look } from "../words/states.ts";
import type { TabProps } from "./story-page.tsx";

export function JournalTab({ detail: { journal } }: TabProps) {
  if (journal.length === 0) return <Nothing>Nothing is written in its journal yet.</Nothing>;
  return (
    <ol className="max-w-3xl">
      {journal.toReversed().map((entry) => (
        <Entry key={`${entry.at} ${entry.kind} ${entry.title}`} entry={entry} />
      ))}
    </ol>
  );
}

function Entry({ entry }: { entry: JournalCard }) {
  return (
    <li className="relative flex gap-4 pb-7 before:absolute before:top-6 before:bottom-1 before:left-2 before:w-px before:bg-line last:before:hidden">
      <StateMark look={lookOf(entry)} className="mt-1 size-4" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-faint">
          <span className="capitalize">{entry.kind}</span>
          {entry.blocker !== undefined && <span className="font-mono">{entry.blocker}</span>}
          {entry.isOpen && <span className="font-medium text-ask">open</span>}
          <Ago at={entry.at} />
        </p>
        <h2 className="font-medium">{entry.title}</h2>
        {entry.body !== "" && (
          <div className="mt-1">
            <Markdown text={entry.body} />
          </div>
        )}
      </div>
    </li>
  );
}

function lookOf({ kind, isOpen }: JournalCard): Look {
  const word = kind;
  if (isOpen) return { word, tone: "ask", mark: "question" };
  switch (kind) {
    case "resolution":
    case "receipt":
      return { word, tone: "good", mark: "check" };
    case "feedback":
      return { word, tone: "ask", mark: "eye" };
    case "diversion":
      return { word, tone: "idle", mark: "triangle" };
    default:
      return { word, tone: "idle", mark: "ring" };
  }
}
