// Suggestions for mistyped names.

/** One letter is missing, wrong or too many, or two neighbours are swapped. */
export function isOneOff(word: string, name: string): boolean {
  if (word === name) return false;
  const differs = name.split("").findIndex((letter, index) => letter !== word[index]);
  const at = differs === -1 ? name.length : differs;
  const isSwapped = word[at] === name[at + 1] && word[at + 1] === name[at];
  return [
    [at + 1, at],
    [at, at + 1],
    [at + 1, at + 1],
    ...(isSwapped ? [[at + 2, at + 2]] : []),
  ].some(([inName, inWord]) => name.slice(inName) === word.slice(inWord));
}

/** Shorter names are close to too many others. */
const SHORTEST = 4;

/** The known field that was probably meant by `check`, `blocked_by` or `desciption`. */
export function suggestField(field: string, known: readonly string[]): string | undefined {
  if (known.includes(field)) return undefined;
  const word = bare(field);
  return known.find((name) => {
    const isLong = Math.min(word.length, name.length) >= SHORTEST;
    return word === bare(name) || (isLong && isOneOff(word, bare(name)));
  });
}

/** Without dashes, underscores and upper case. */
const bare = (name: string): string => name.replaceAll(/[-_]/g, "").toLowerCase();

/** The names that start with the word, or else the ones with the fewest different letters. */
export function nearestNames(word: string, names: readonly string[]): string[] {
  const beginnings = word.length < 2 ? [] : names.filter((name) => name.startsWith(word));
  if (beginnings.length > 0) return beginnings.slice(0, MOST_SUGGESTED);
  const allowed = Math.max(1, Math.floor(word.length / 4));
  const far = names.map((name) => ({ name, letters: distance(word, name) }));
  const least = Math.min(...far.map(({ letters }) => letters));
  if (least > allowed || least >= word.length) return [];
  return far
    .filter(({ letters }) => letters === least)
    .map(({ name }) => name)
    .slice(0, MOST_SUGGESTED);
}

const MOST_SUGGESTED = 3;

/** The number of letters to add, remove, change or swap with their neighbour. */
function distance(word: string, name: string): number {
  let [older, last]: [number[], number[]] = [
    [],
    Array.from({ length: name.length + 1 }, (_, at) => at),
  ];
  for (let row = 1; row <= word.length; row++) {
    const next = [row];
    for (let at = 1; at <= name.length; at++) {
      const cost = word[row - 1] === name[at - 1] ? 0 : 1;
      const isSwapped =
        row > 1 && at > 1 && word[row - 1] === name[at - 2] && word[row - 2] === name[at - 1];
      next[at] = Math.min(
        (last[at] ?? 0) + 1,
        (next[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + cost,
        isSwapped ? (older[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [older, last] = [last, next];
  }
  return last[name.length] ?? 0;
}

/** `Did you mean a or b?` Undefined without names. */
export const didYouMean = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : `Did you mean ${names.join(" or ")}?`;
