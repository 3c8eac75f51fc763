// The conflicts that merges would meet, as a list: for Home, the Landing page and an epic.

import { CONFLICTS_ABOUT, conflictWords } from "../../../story/early-warning/conflict-words.ts";
import { isPartOf } from "../../../story/early-warning/conflicts-ahead.ts";
import { isSameList, useDerived, useEntity } from "../live/hooks.ts";
import { Panel, Section } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Ago } from "../parts/time.tsx";
import type { Look } from "../words/states.ts";
import { EntryName } from "./entry-name.tsx";

/** The line is cut to the width of the page; its title has all. */
const MAX_FILES = 10;

const CONFLICT_LOOK: Look = { word: "Conflict", tone: "ask", mark: "triangle" };

/** All conflicts, or those of some stories. Nothing without any. */
export function ConflictSection({ stories }: { stories?: readonly string[] }) {
  const ids = useConflictIds(stories);
  if (ids.length === 0) return null;
  return (
    <div id="conflicts">
      <Section title="Conflicts ahead" count={ids.length}>
        <p className="-mt-1.5 mb-2.5 max-w-3xl text-sm text-soft">{CONFLICTS_ABOUT}</p>
        <ConflictList ids={ids} />
      </Section>
    </div>
  );
}

export const useConflictIds = (stories?: readonly string[]): readonly string[] =>
  useDerived(
    ({ conflicts }) =>
      Object.entries(conflicts)
        .filter(([, one]) => stories === undefined || stories.some((id) => isPartOf(one, id)))
        .map(([id]) => id)
        .toSorted(),
    isSameList,
  );

export function ConflictList({ ids }: { ids: readonly string[] }) {
  return (
    <Panel className="divide-y divide-line overflow-hidden">
      {ids.map((id) => (
        <ConflictRow key={id} id={id} />
      ))}
    </Panel>
  );
}

function ConflictRow({ id }: { id: string }) {
  const conflict = useEntity("conflicts", id);
  if (conflict === undefined) return null;
  const { story, with: other, since } = conflict;
  return (
    <article
      aria-label={`${story} and ${other.name}`}
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2.5 md:px-5"
    >
      <StateMark look={CONFLICT_LOOK} />
      <div className="min-w-0">
        <p className="text-[0.9333rem] font-medium">
          <EntryName name={story} isRow /> <span className="font-normal text-faint">and</span>{" "}
          {other.kind === "target" ? (
            <span className="font-mono text-sm">{other.name}</span>
          ) : (
            <EntryName name={other.name} />
          )}
        </p>
        <p className="truncate font-mono text-xs text-soft" title={conflict.files.join("\n")}>
          {conflictWords(conflict, { maxFiles: MAX_FILES }).files}
        </p>
      </div>
      <span className="text-xs text-faint">
        <Ago at={since} />
      </span>
    </article>
  );
}
