import { Link } from "wouter";
import { isSameList, useDerived, useEntity } from "../live/hooks.ts";
import { Id, Panel, Section, Tag } from "../parts/layout.tsx";
import { Legend, storyEntries } from "../parts/legend.tsx";
import { EpicBar } from "../parts/progress.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { sumOf } from "../words/epics.ts";
import { money, percent } from "../words/format.ts";
import { STORY_LOOKS } from "../words/states.ts";

export function EpicCards() {
  const ids = useDerived(
    ({ epics }) =>
      Object.values(epics)
        .toSorted((one, other) => rank(one.status) - rank(other.status))
        .map(({ id }) => id),
    isSameList,
  );
  if (ids.length === 0) return null;
  return (
    <Section title="Epics" count={ids.length}>
      <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {ids.map((id) => (
          <li key={id}>
            <EpicCardView id={id} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

const rank = (status: string): number => ["in_progress", "pending", "completed"].indexOf(status);

function EpicCardView({ id }: { id: string }) {
  const epic = useEntity("epics", id);
  const sum = useDerived(
    (entities) => {
      const card = entities.epics[id];
      return card && sumOf(card, entities);
    },
    (one, other) => JSON.stringify(one) === JSON.stringify(other),
  );
  if (epic === undefined || sum === undefined) return null;
  return (
    <Link href={`/epic/${id}`} data-row="" className="block h-full rounded-xl">
      <Panel className="h-full px-4 py-3.5 transition-colors hover:border-edge">
        <div className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate font-medium">{epic.title}</span>
          {epic.isRunning && <StateMark look={STORY_LOOKS.running} className="size-3.5" />}
          {epic.isLegacy && <Tag>Old format</Tag>}
          <span className="figure text-sm text-soft">{percent(sum.done, sum.total)}%</span>
        </div>
        <Id>{id}</Id>
        <div className="mt-3">
          <EpicBar sum={sum} />
        </div>
        <p className="figure mt-2 flex justify-between text-xs text-faint">
          <span>
            {sum.done} of {sum.total} stories
          </span>
          <span>{money(sum.costUsd, sum.costIsEstimate)}</span>
        </p>
        <Legend entries={storyEntries(sum.tones)} className="mt-2" />
      </Panel>
    </Link>
  );
}
