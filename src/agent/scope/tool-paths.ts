// Which texts in a tool's input are paths. Tools choose their keys freely, and every version adds tools: so
// any key that looks like the key of a path counts, at any depth.

// Matched against lower case, here and below: a pattern that ignores case compiles slowly, and a hook script
// starts for every call.
const PATH_KEY =
  /(?:path|file|filename|file_name|dir|directory|folder|cwd|root)s?$|directories$|^(?:source|destination)$/;
const ADDRESS_KEY = /ur[il]s?$/;

/** Every text in the input that is a path by its key, as written. */
export function pathsIn(input: unknown, isWanted = isPath): string[] {
  const found: string[] = [];
  // A list, not recursion: input nested ten thousand levels deep must not overflow the stack.
  const waiting: (readonly [key: string, value: unknown])[] = [["", input]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [key, value] = next;
    if (typeof value === "string") {
      if (value !== "" && isWanted(key, value)) found.push(value);
    } else if (Array.isArray(value)) {
      for (const item of value) waiting.push([key, item]);
    } else if (typeof value === "object" && value !== null) {
      // In `files: { "src/a.ts": "…" }` the keys are the paths.
      const isMap = PATH_KEY.test(key.toLowerCase());
      for (const entry of Object.entries(value)) {
        if (isMap) found.push(entry[0]);
        waiting.push(entry);
      }
    }
  }
  return found;
}

/** Keys of prose and code. A bare text has the empty key. */
const TEXT_KEY =
  /^$|(?:text|string|content|body|message|prompt|query|pattern|description|title|subject|comment|note|reason|thought|code|script|command)s?$/i;
/** One line that starts like an absolute path and is not longer than one. */
const IN_FULL = /^(?:\/|~\/|file:)[^\r\n]{1,4095}$/i;
/** Each guess is looked up on the disk. */
const MAX_GUESSES = 1000;

/** Texts under any other key that look like absolute paths: other vendors' tools choose their keys freely. */
export const guessesIn = (input: unknown): readonly string[] =>
  pathsIn(input, (key, value) => !TEXT_KEY.test(key) && IN_FULL.test(value.trim())).slice(
    0,
    MAX_GUESSES,
  );

function isPath(key: string, value: string): boolean {
  const small = key.toLowerCase();
  return PATH_KEY.test(small) || (ADDRESS_KEY.test(small) && /^\s*file:/i.test(value));
}

/** The value of a key, if it is a text that is not empty. */
export function textOf(input: unknown, key: string): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const value: unknown = Reflect.get(input, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The file name patterns of a search. Grep takes several in one text. */
export function patternsIn(tool: string, input: unknown): readonly string[] {
  if (tool === "Glob") return [textOf(input, "pattern") ?? ""];
  if (tool !== "Grep") return [];
  return (textOf(input, "glob") ?? "")
    .split(/\s+/)
    .flatMap((glob) => (glob.includes("{") ? [glob] : glob.split(",")));
}

/** More than anyone writes; without a limit, sixty braces would have 2^60 alternatives. */
const MAX_ALTERNATIVES = 256;
const LONGEST_PATTERN = 4096;
const BRACES = /\{(?<choices>[^{}]*)\}/;
const WILDCARD = /[*?[\](){}|]/;
const CLIMBS_LATER = /(?:^|[^\w.])\.\.(?:$|[^\w.])/;

/**
 * The fixed folders that a pattern starts from, one for each alternative in its braces. Undefined if
 * it is too much to say, or climbs with `..` behind a wildcard, where it may come out anywhere.
 */
export function startsOf(pattern: string): readonly string[] | undefined {
  if (pattern.length > LONGEST_PATTERN) return undefined;
  // An escaped character is that character.
  const alternatives = alternativesOf(pattern.replaceAll("\\", ""));
  if (alternatives === undefined) return undefined;
  const starts = new Set<string>();
  for (const alternative of alternatives) {
    const names = alternative.split("/");
    const wild = names.findIndex((name) => WILDCARD.test(name));
    const fixed = wild === -1 ? names : names.slice(0, wild);
    if (wild !== -1 && CLIMBS_LATER.test(names.slice(wild).join("/"))) return undefined;
    // Of `/**` nothing is left but the slash, which joining takes away.
    if (alternative !== "" && fixed.length > 0) starts.add(fixed.join("/") || "/");
  }
  return [...starts];
}

function alternativesOf(pattern: string): readonly string[] | undefined {
  const waiting = [pattern];
  const done: string[] = [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const braces = BRACES.exec(next);
    const choices = braces?.groups?.["choices"];
    if (braces === null || choices === undefined) {
      done.push(next);
    } else {
      const before = next.slice(0, braces.index);
      const after = next.slice(braces.index + braces[0].length);
      waiting.push(...choices.split(",").map((choice) => `${before}${choice}${after}`));
    }
    if (waiting.length + done.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}
