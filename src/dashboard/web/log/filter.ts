// Filters, counts and copies the rows of a log. Pure.

import { clock } from "../words/format.ts";
import { ROW_KINDS, type LogRow, type RowKind } from "./rows.ts";

export interface LogFilter {
  readonly search: string;
  /** Empty: all kinds. */
  readonly kinds: ReadonlySet<RowKind>;
}

export const NO_FILTER: LogFilter = { search: "", kinds: new Set() };

export function filterRows(
  rows: readonly LogRow[],
  { search, kinds }: LogFilter,
): readonly LogRow[] {
  const phrase = phraseOf(search);
  if (phrase === undefined && kinds.size === 0) return rows;
  return rows.filter(
    (row) =>
      (kinds.size === 0 || kinds.has(row.kind)) &&
      (phrase === undefined || searchable(row).search(phrase) !== -1),
  );
}

const searchable = ({ head, text, answer }: LogRow): string =>
  `${head} ${text} ${answer?.text ?? ""}`;

/** The search as one phrase: in any case, with any white space, with or without quotes. */
function phraseOf(search: string): RegExp | undefined {
  const text = search.trim();
  const plain = /^"(?<inside>.+)"$/s.exec(text)?.groups?.["inside"]?.trim() ?? text;
  if (plain === "") return undefined;
  const words = plain.split(/\s+/).map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
  return new RegExp(words.join("\\s+"), "gi");
}

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

/** The ranges to highlight. */
export function matchesIn(text: string, search: string): readonly (readonly [number, number])[] {
  const phrase = phraseOf(search);
  if (phrase === undefined) return [];
  return [...text.matchAll(phrase)].map((match) => [match.index, match.index + match[0].length]);
}
