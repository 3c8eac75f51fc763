import { Link, useLocation } from "wouter";
import { isSameList, useDerived, useEntity } from "../live/hooks.ts";
import { EpicBar } from "../parts/progress.tsx";
import { isSameSum, sumOf } from "../words/epics.ts";

/** Unfinished epics with their progress. */
export function EpicNav() {
  const ids = useDerived(
    ({ epics }) =>
      Object.values(epics)
        .filter(({ status, isLegacy }) => status !== "completed" && !isLegacy)
        .map(({ id }) => id),
    isSameList,
  );
  if (ids.length === 0) return null;
  return (
    <nav aria-label="Epics" className="mt-6 min-h-0 overflow-y-auto">
      <h2 className="px-2 pb-1.5 text-2xs font-medium text-faint">Epics</h2>
      {ids.map((id) => (
        <EpicLink key={id} id={id} />
      ))}
    </nav>
  );
}

function EpicLink({ id }: { id: string }) {
  const [path] = useLocation();
  const epic = useEntity("epics", id);
  const sum = useDerived((entities) => {
    const card = entities.epics[id];
    return card && sumOf(card, entities);
  }, isSame);
  if (epic === undefined || sum === undefined) return null;
  return (
    <Link
      href={`/epic/${id}`}
      aria-current={path === `/epic/${id}` ? "page" : undefined}
      className="block rounded-lg px-2 py-1.5 text-sm text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-wash aria-[current=page]:text-accent"
    >
      <span className="flex items-baseline gap-2">
        <span className="flex-1 truncate">{epic.title}</span>
        <span className="figure text-2xs text-faint">
          {sum.done}/{sum.total}
        </span>
      </span>
      <span className="mt-1.5 block">
        <EpicBar sum={sum} />
      </span>
    </Link>
  );
}

const isSame = (
  one: ReturnType<typeof sumOf> | undefined,
  other: ReturnType<typeof sumOf> | undefined,
): boolean => one === other || (!!one && !!other && isSameSum(one, other));
