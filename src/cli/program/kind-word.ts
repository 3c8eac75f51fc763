// People name the kind before the id, as in `saga new story add-login`: `saga show story add-login`. Where a command takes
// the id alone, the kind is dropped.

const KIND_WORDS: ReadonlySet<string> = new Set(["story", "epic", "task"]);

/** `isName`: whether the project has a story or an epic of that name, which is then what the person means. */
export function withoutKindWord(
  words: readonly string[],
  isName: (word: string) => boolean,
): readonly string[] {
  const [first = "", second = "-"] = words;
  const isDropped = KIND_WORDS.has(first) && !second.startsWith("-") && !isName(first);
  return isDropped ? words.slice(1) : words;
}
