// Which stories of an epic conflict with which. On a narrow screen the list says the same.

import type { Entities } from "../../protocol/messages.ts";
import { useDerived } from "../live/hooks.ts";
import { Section } from "../parts/layout.tsx";
import { cellText, conflictMatrix, type Matrix } from "./conflicts.ts";
import { ConflictList, useConflictIds } from "./conflict-list.tsx";
import { EntryName } from "./entry-name.tsx";

export function EpicConflicts({ stories }: { stories: readonly string[] }) {
  const ids = useConflictIds(stories);
  const matrix = useDerived(
    ({ conflicts }: Entities) => conflictMatrix(Object.values(conflicts), stories),
    (one, other) => textOf(one) === textOf(other),
  );
  if (matrix === undefined) return null;
  return (
    <Section title="Conflicts ahead" count={ids.length}>
      <div
        role="region"
        aria-label="Which stories conflict"
        // It may be wider than the page.
        tabIndex={0}
        className="hidden overflow-x-auto rounded-xl border border-line bg-surface shadow-card -outline-offset-2 sm:block"
      >
        <MatrixTable matrix={matrix} />
      </div>
      <div className="sm:hidden">
        <ConflictList ids={ids} />
      </div>
    </Section>
  );
}

const textOf = (matrix: Matrix | undefined): string =>
  JSON.stringify([
    matrix,
    matrix?.rows.map((row) => matrix.columns.map(({ name }) => matrix.cellAt(row, name))),
  ]);

function MatrixTable({ matrix: { rows, columns, cellAt } }: { matrix: Matrix }) {
  return (
    <table className="w-full border-collapse text-sm">
      <caption className="sr-only">Conflicting files of each pair</caption>
      <thead>
        <tr className="border-b border-line">
          <td className="px-4 py-2 md:px-5">
            <span className="sr-only">Story</span>
          </td>
          {columns.map(({ kind, name }) => (
            <th
              key={`${kind} ${name}`}
              scope="col"
              className="max-w-48 min-w-28 px-2 py-2 text-left align-bottom text-xs font-medium text-soft"
            >
              {kind === "target" ? (
                <span className="font-mono">{name}</span>
              ) : (
                <EntryName name={name} className="line-clamp-2" />
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {rows.map((row) => (
          <tr key={row}>
            <th scope="row" className="max-w-72 px-4 py-2 text-left font-medium md:px-5">
              <EntryName name={row} className="line-clamp-2" />
            </th>
            {columns.map(({ kind, name }) => (
              <td key={`${kind} ${name}`} className="p-1">
                <Cell conflict={name === row && kind === "story" ? "self" : cellAt(row, name)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ conflict }: { conflict: ReturnType<Matrix["cellAt"]> | "self" }) {
  if (conflict === "self") {
    return <span aria-hidden="true" className="block h-7 max-w-48 rounded-md bg-sunken" />;
  }
  if (conflict === undefined) return <span className="sr-only">None</span>;
  return (
    <span
      title={conflict.files.join("\n")}
      className="flex h-7 max-w-48 items-center rounded-md bg-ask-wash px-2 font-mono text-xs text-ask"
    >
      <span className="truncate">{cellText(conflict)}</span>
    </span>
  );
}
