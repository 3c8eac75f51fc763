// The conflicts that merges would meet, as a list: for Home, the Landing page and an epic.

import type { ConflictCard } from "../../protocol/landing.ts";
import { isSameList, useDerived, useEntity } from "../live/hooks.ts";
import { Panel, Section } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Ago } from "../parts/time.tsx";
import type { Look } from "../words/states.ts";
import { isPartOf } from "./conflicts.ts";
import { EntryName } from "./entry-name.tsx";

const CONFLICT_LOOK: Look = { word: "Conflict", tone: "ask", mark: "triangle" };

/** All conflicts, or those of some stories. Nothing without any. */
export function ConflictSection({ stories }: { stories?: readonly string[] }) {
  const ids = useConflictIds(stories);
  if (ids.length === 0) return null;
  return (
    <div id="conflicts">
      <Section title="Conflicts ahead" count={ids.length}>
        <p className="-mt-1.5 mb-2.5 max-w-3xl text-sm text-soft">
          Merged now, these would conflict. Their agents know. Whichever is merged second gets the
          conflict as a task.
        </p>
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
        .map(([id]) => id),
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
          {filesOf(conflict)}
        </p>
      </div>
      <span className="text-xs text-faint">
        <Ago at={since} />
      </span>
    </article>
  );
}

const filesOf = ({ files, moreFiles }: ConflictCard): string =>
  [...files, ...(moreFiles > 0 ? [`${moreFiles} more`] : [])].join(", ");
