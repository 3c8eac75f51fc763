// One word of a shell command, without its quotes. Where only the shell knows what will stand there,
// the word holds a mark instead. A text that ends too early breaks the reading off: nothing is guessed.

/** Any text at all: the value of a variable, the output of a command. */
export const UNKNOWN = "\uE000";
/** Any name: a pattern, or a range in braces, that no quote holds. */
export const ANYTHING = "\uE001";
/** The folder that the shell stands in. */
export const HERE = "\uE002";
/** Around a list in braces, which makes several words of one. */
const LIST = "\uE003";

/** Whether a word is known in full: what is written is what a program gets. */
export const isPlain = (word: string): boolean => !/[\uE000-\uE002]/.test(word);

/** Where the reading of a text stands. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** How many substitutions and subshells are open around it. */
  depth: number;
  /** The text ended inside a quote or a substitution: what follows is not read. */
  isBroken: boolean;
  /** What is known of the shell's variables. */
  readonly variables: ReadonlyMap<string, string>;
  /** Reads the commands of a substitution, up to behind its `)`, or those of a text. */
  readonly readInner: (text?: string) => void;
}

/** More than a person writes; without a limit, a million brackets would be a million calls. */
const MAX_DEPTH = 40;

/** One level deeper, unless that is too deep. */
export function enter(cursor: Cursor): boolean {
  if (cursor.depth++ < MAX_DEPTH) return true;
  return breakOff(cursor);
}

export function breakOff(cursor: Cursor): false {
  cursor.at = cursor.text.length;
  cursor.isBroken = true;
  return false;
}

export function take(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0] ?? "";
  cursor.at += found.length;
  return found;
}

/** A word, or nothing where none begins. */
export function readWord(cursor: Cursor): string | undefined {
  const start = cursor.at;
  const word = readPart(cursor, "");
  return cursor.at === start ? undefined : word;
}

/** More than a person lists. */
const MAX_LISTED = 64;

/** The words that a word with lists in it stands for. */
export function listed(word: string): readonly string[] {
  // Every second part is a list.
  const parts = word.split(LIST).map((part, at) => (at % 2 ? part.split(",") : [part]));
  const count = parts.reduce((sum, { length }) => sum * length, 1);
  return parts.reduce(
    (words, part) => {
      const ends = count > MAX_LISTED && part.length > 1 ? [ANYTHING] : part;
      return words.flatMap((start) => ends.map((end) => start + end));
    },
    [""],
  );
}

/** What a part of a word is held by, with what is only itself in there. */
const PLAIN = {
  "": /[^\s'"\\$`<>|&;()*?[{~]+/y,
  '"': /[^"\\$`]+/y,
  "}": /[^"\\$`}]+/y,
};
type Holder = keyof typeof PLAIN;

function readPart(cursor: Cursor, holder: Holder): string {
  const start = cursor.at;
  let word = "";
  for (;;) {
    word += take(cursor, PLAIN[holder]);
    const char = cursor.text[cursor.at] ?? "";
    if (char === holder) {
      cursor.at += holder.length;
      return word;
    }
    if (char === "" && !breakOff(cursor)) return word;
    const isFirst = cursor.at === start;
    if (holder !== "" || !/[\s<>|&;()]/.test(char)) word += readSpecial(cursor, holder, isFirst);
    else if (readList(cursor, isFirst)) word += UNKNOWN;
    else return word;
  }
}

/** `<(…)` and `>(…)`, and behind some characters a list of values or of patterns. */
function readList(cursor: Cursor, isFirst: boolean): boolean {
  const { text, at } = cursor;
  if (/[<>]\(/.test(text.slice(at, at + 2))) {
    cursor.at += 2;
    cursor.readInner();
    return true;
  }
  if (isFirst || !/[=?*+@!]\(/.test(text.slice(at - 1, at + 1)) || !enter(cursor)) return false;
  for (cursor.at++; take(cursor, /\)/y) === "";) {
    if (readWord(cursor) === undefined && ++cursor.at > text.length) return breakOff(cursor);
  }
  cursor.depth--;
  return true;
}

/** What begins with a character that is not only itself. */
function readSpecial(cursor: Cursor, holder: Holder, isFirst: boolean): string {
  const { text } = cursor;
  const char = text[cursor.at++] ?? "";
  const next = text[cursor.at] ?? "";
  switch (char) {
    case "'":
      return readUntil(cursor, "'", false);
    case '"':
      return readPart(cursor, '"');
    case "\\":
      cursor.at++;
      if (next === "\n") return "";
      return holder === '"' && !/["\\$`]/.test(next) ? char + next : next;
    case "$":
      return readDollar(cursor, holder);
    case "`":
      cursor.readInner(readUntil(cursor, "`", true));
      return UNKNOWN;
    case "~":
      if (!isFirst) return char;
      return /[^/\s;&|<>)]/.test(next) ? UNKNOWN : valueOf(cursor, "HOME");
    case "{": {
      const { at } = cursor;
      // `{a,b}` and `{1..3}` list names; `{}` and `@{1}` are themselves.
      const list = take(cursor, /[^{}\s;&|<>()]*\}/y).replaceAll(/[*?]+/g, ANYTHING);
      if (/,|\.\./.test(list)) {
        const isUnclear = /['"\\$`[~]|^[^,]+$/.test(list);
        return isUnclear ? ANYTHING : LIST + list.slice(0, -1) + LIST;
      }
      cursor.at = at;
      return char;
    }
    default:
      take(cursor, char === "[" ? /[^[\]\s;&|<>()]*\]/y : /[*?]+/y);
      return ANYTHING;
  }
}

/** The text before a character; with escapes, one may stand behind a backslash. */
function readUntil(cursor: Cursor, char: string, hasEscapes: boolean): string {
  const { text, at } = cursor;
  let end = text.indexOf(char, at);
  if (hasEscapes) {
    for (end = at; end < text.length && text[end] !== char; end++) if (text[end] === "\\") end++;
  }
  if (end < 0 || end >= text.length) breakOff(cursor);
  else cursor.at = end + 1;
  const quoted = cursor.isBroken ? "" : text.slice(at, end);
  return hasEscapes ? quoted.replaceAll(/\\([`'"$\\])/g, "$1") : quoted;
}

function readDollar(cursor: Cursor, holder: Holder): string {
  const { text } = cursor;
  const next = text[cursor.at] ?? "";
  if (next === "(") {
    if (!skipArithmetic(cursor)) {
      cursor.at++;
      cursor.readInner();
    }
    return UNKNOWN;
  }
  if (next === "{" && enter(cursor)) {
    const name = take(cursor, /\{\w*/y).slice(1);
    // With a default it is the name's value all the same.
    const isValue = /^(?:\}|:?[-=])/.test(text.slice(cursor.at, cursor.at + 2));
    readPart(cursor, "}");
    cursor.depth--;
    return isValue ? valueOf(cursor, name) : UNKNOWN;
  }
  if (holder === "" && take(cursor, /'/y) !== "") return readUntil(cursor, "'", true);
  // Before a quote it asks for a translation.
  if (holder === "" && next === '"') return "";
  const name = take(cursor, /[A-Za-z_]\w*|[\d@*#?$!-]/y);
  return name === "" ? "$" : valueOf(cursor, name);
}

const valueOf = ({ variables }: Cursor, name: string): string => variables.get(name) ?? UNKNOWN;

/** At `((`: skips to behind its `))`, or stays where these are two subshells, as bash decides it. */
export function skipArithmetic(cursor: Cursor): boolean {
  const { text } = cursor;
  let open = 0;
  if (!text.startsWith("((", cursor.at)) return false;
  for (let at = cursor.at + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "(") open++;
    else if (text[at] === ")" && --open === 0) {
      if (text[at + 1] !== ")") return false;
      cursor.at = at + 2;
      return true;
    }
  }
  return false;
}
