// Names that somebody may have mistyped.

/** The same letters but for one that is missing, wrong, or too many, or two that changed places. */
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

/** Shorter ones are near to too much. */
const SHORTEST = 4;

/** The known field that an unknown one was probably meant to be: `check`, `blocked_by`, `desciption`. */
export function meantField(field: string, known: readonly string[]): string | undefined {
  if (known.includes(field)) return undefined;
  const word = bare(field);
  return known.find((name) => {
    const isLong = Math.min(word.length, name.length) >= SHORTEST;
    return word === bare(name) || (isLong && isOneOff(word, bare(name)));
  });
}

/** Without what is a matter of taste. */
const bare = (name: string): string => name.replaceAll(/[-_]/g, "").toLowerCase();
