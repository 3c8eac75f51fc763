// How well a typed query fits a text: letters in order, better in a row and at the start of words. Pure.

const WORD_START = 8;
const IN_A_ROW = 5;
const ANYWHERE = 1;
const GAP_COST = 0.02;

/** Nothing: it does not fit. Every word of the query must fit by itself, in any order. */
export function score(query: string, text: string): number | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const one = scoreWord(word, lower);
    if (one === undefined) return undefined;
    sum += one;
  }
  // Of two that fit alike the shorter one is meant.
  return sum - lower.length * GAP_COST;
}

function scoreWord(word: string, text: string): number | undefined {
  const whole = text.indexOf(word);
  if (whole !== -1) {
    return (isWordStart(text, whole) ? WORD_START : ANYWHERE) + IN_A_ROW * word.length;
  }
  let sum = 0;
  let at = -1;
  for (const letter of word) {
    const next = text.indexOf(letter, at + 1);
    if (next === -1) return undefined;
    sum +=
      next === at + 1 ? IN_A_ROW / 2 : isWordStart(text, next) ? WORD_START / 4 : -GAP_COST * 5;
    at = next;
  }
  return sum;
}

const isWordStart = (text: string, at: number): boolean =>
  at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1));

/** What is near is meant before what only has a shorter name. */
const NEARNESS = 4;

export function best<T extends { readonly isNear?: boolean }>(
  query: string,
  items: readonly T[],
  textOf: (item: T) => string,
  limit: number,
): T[] {
  if (query.trim() === "") return items.slice(0, limit);
  return items
    .flatMap((item, at) => {
      const points = score(query, textOf(item));
      if (points === undefined) return [];
      return [{ item, points: points + (item.isNear ? NEARNESS : 0), at }];
    })
    .toSorted((one, other) => other.points - one.points || one.at - other.at)
    .slice(0, limit)
    .map(({ item }) => item);
}
