import { useActions } from "../../actions/action-provider.tsx";
import { useIsOffline } from "../../live/hooks.ts";
import type { JournalCard } from "../../../protocol/details.ts";
import { Button } from "../../parts/button.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Empty } from "../../parts/layout.tsx";
import { Markdown } from "../../parts/text/markdown.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Ago } from "../../parts/time.tsx";
import type { Look } from "../../words/states.ts";
import { readEntry } from "./journal-receipt.ts";
import type { TabProps } from "../story-page.tsx";

export function JournalTab({ story, detail: { journal } }: TabProps) {
  return (
    <div className="max-w-3xl">
      {!story.isLegacy && !story.isArchived && <AddNote story={story.id} />}
      {journal.length === 0 ? (
        <Empty>The journal is empty.</Empty>
      ) : (
        <ol>
          {journal.toReversed().map((entry) => (
            <Entry key={`${entry.at} ${entry.kind} ${entry.title}`} entry={entry} />
          ))}
        </ol>
      )}
    </div>
  );
}

function AddNote({ story }: { story: string }) {
  const { ask } = useActions();
  const isOffline = useIsOffline();
  return (
    <div className="mb-5 flex justify-end">
      <Button disabled={isOffline} onClick={() => ask({ about: "note", story })}>
        <Icon name="plus" className="size-3.5" />
        Add a note…
      </Button>
    </div>
  );
}

function Entry({ entry }: { entry: JournalCard }) {
  const { text, data, isPassed } = readEntry(entry);
  return (
    <li className="relative flex gap-4 pb-7 before:absolute before:top-6 before:bottom-1 before:left-2 before:w-px before:bg-line last:before:hidden">
      <StateMark look={lookOf(entry, isPassed)} className="mt-1 size-4" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-faint">
          <span className="capitalize">{entry.kind}</span>
          {entry.blocker !== undefined && <span className="font-mono">{entry.blocker}</span>}
          {entry.isOpen && <span className="font-medium text-ask">open</span>}
          <Ago at={entry.at} />
        </p>
        <h2 className="font-medium">{entry.title}</h2>
        {text !== "" && (
          <div className="mt-1">
            <Markdown text={text} />
          </div>
        )}
        {data !== undefined && <Data text={data} />}
      </div>
    </li>
  );
}

/** Raw data, behind the sentences. */
function Data({ text }: { text: string }) {
  return (
    <Disclosure word="Details" className="mt-1">
      <pre
        tabIndex={0}
        className="mt-1 max-h-60 overflow-auto rounded-lg bg-sunken p-3 font-mono text-xs"
      >
        {text}
      </pre>
    </Disclosure>
  );
}

function lookOf({ kind, isOpen }: JournalCard, isPassed: boolean | undefined): Look {
  const word = kind;
  if (isOpen) return { word, tone: "ask", mark: "question" };
  if (isPassed === false) return { word: "Not passed", tone: "bad", mark: "cross" };
  if (isPassed) return { word: "Passed", tone: "good", mark: "check" };
  switch (kind) {
    case "resolution":
      return { word, tone: "good", mark: "check" };
    case "feedback":
      return { word, tone: "ask", mark: "eye" };
    case "diversion":
      return { word, tone: "idle", mark: "triangle" };
    default:
      return { word, tone: "idle", mark: "ring" };
  }
}
