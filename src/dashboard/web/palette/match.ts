// Scores how well a query matches a text: letters in order, better in a row and at the start of words. Pure.

const WORD_START = 8;
const IN_A_ROW = 5;
const ANYWHERE = 1;
const GAP_COST = 0.02;

/** Undefined if it does not match. Every word of the query must match, in any order. */
export function score(query: string, text: string): number | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const one = scoreWord(word, lower);
    if (one === undefined) return undefined;
    sum += one;
  }
  // Of two equal matches the shorter text wins.
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

/** An action of the current page beats a match with a shorter name. */
const CURRENT_BONUS = 4;

export function best<T extends { readonly isCurrent?: boolean }>(
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
      return [{ item, points: points + (item.isCurrent ? CURRENT_BONUS : 0), at }];
    })
    .toSorted((one, other) => other.points - one.points || one.at - other.at)
    .slice(0, limit)
    .map(({ item }) => item);
}
