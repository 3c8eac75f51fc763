// What a person searches for: words, and phrases in quotes. A text matches if it has all of them, in any order and case.

import { oneLine, truncate } from "../../text/one-line.ts";

export interface SearchQuery {
  /** In lower case. Empty for a query without words, which matches nothing. */
  readonly words: readonly string[];
}

const MAX_WORDS = 16;

export function parseQuery(text: string): SearchQuery {
  const parts = [...text.matchAll(/"(?<phrase>[^"]*)"?|(?<word>[^\s"]+)/g)];
  const words = parts.map(({ groups }) => fold(groups?.["phrase"] ?? groups?.["word"] ?? ""));
  return { words: words.filter((word) => word !== "").slice(0, MAX_WORDS) };
}

/** `fields` are one text: each word may be in another one of them. */
export function matches({ words }: SearchQuery, fields: readonly (string | undefined)[]): boolean {
  if (words.length === 0) return false;
  const text = fold(fields.filter((field) => field !== undefined).join("\n"));
  return words.every((word) => text.includes(word));
}

/**
 * Whether a line of JSON may match, without parsing it. JSON writes quotes, backslashes and control characters in
 * another way, so words with them are not decided here.
 */
export function mayMatchJson({ words }: SearchQuery, line: string): boolean {
  const text = fold(line);
  return words.every((word) => ESCAPED.test(word) || text.includes(word));
}

// oxlint-disable-next-line no-control-regex -- these are the characters that JSON escapes
const ESCAPED = /["\\\s\u0000-\u001f]/;

const MAX_EXCERPT = 160;
/** Shown before the first word that was found. */
const LEAD = 40;

/** One line around the first word that is found, from the first field that has one. */
export function excerpt(
  { words }: SearchQuery,
  fields: readonly (string | undefined)[],
): string | undefined {
  for (const field of fields) {
    const line = oneLine(field ?? "");
    const at = Math.min(...words.map((word) => positionOf(fold(line), word)));
    if (at === Infinity) continue;
    const from = at <= LEAD ? 0 : at - LEAD;
    return truncate(`${from === 0 ? "" : "…"}${line.slice(from)}`, MAX_EXCERPT);
  }
  return undefined;
}

function positionOf(text: string, word: string): number {
  const at = text.indexOf(word);
  return at === -1 ? Infinity : at;
}

const fold = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, " ");
