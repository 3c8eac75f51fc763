// Which rows of a log are on show, and how they are copied. Pure.

import { clock } from "../words/format.ts";
import { ROW_KINDS, type LogRow, type RowKind } from "./rows.ts";

export interface LogFilter {
  readonly search: string;
  /** None: all of them. */
  readonly kinds: ReadonlySet<RowKind>;
}

export const NO_FILTER: LogFilter = { search: "", kinds: new Set() };

export function filterRows(
  rows: readonly LogRow[],
  { search, kinds }: LogFilter,
): readonly LogRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && kinds.size === 0) return rows;
  return rows.filter(
    (row) =>
      (kinds.size === 0 || kinds.has(row.kind)) &&
      (words.length === 0 || hasAll(searchable(row), words)),
  );
}

const searchable = ({ head, text, answer }: LogRow): string =>
  `${head} ${text} ${answer?.text ?? ""}`.toLowerCase();

const hasAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.includes(word));

export function countKinds(rows: readonly LogRow[]): Readonly<Record<RowKind, number>> {
  const counts = Object.fromEntries(ROW_KINDS.map((kind) => [kind, 0])) as Record<RowKind, number>;
  for (const { kind } of rows) counts[kind] += 1;
  return counts;
}

/** Toggles one kind. */
export function withKind(kinds: ReadonlySet<RowKind>, kind: RowKind): ReadonlySet<RowKind> {
  const next = new Set(kinds);
  if (!next.delete(kind)) next.add(kind);
  return next;
}

export const asText = (rows: readonly LogRow[]): string =>
  rows
    .map(({ at, head, text, answer }) => {
      const result = answer?.text ? `\n         → ${answer.text}` : "";
      return `${clock(at)} ${head} ${text}${result}\n`;
    })
    .join("");

/** Where a text matches the words of a search, in order and without overlaps, for marking them. */
export function matchesIn(text: string, search: string): readonly (readonly [number, number])[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = text.toLowerCase();
  // Lower case may change the length in some scripts: the places would be wrong.
  if (words.length === 0 || lower.length !== text.length) return [];
  const found: [number, number][] = [];
  for (const word of words) {
    for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length)) {
      found.push([at, at + word.length]);
    }
  }
  return found
    .toSorted((one, other) => one[0] - other[0])
    .filter(([from], at, all) => at === 0 || from >= (all[at - 1]?.[1] ?? 0));
}
