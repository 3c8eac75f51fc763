// Reads a shell text as the simple commands in it, in the order in which a shell would run them. It knows what agents
// usually type; other syntax is skipped or misread, and then the guard allows it.

export interface ShellVisitor {
  /** A simple command: its words without quotes, and the files that its output goes to. */
  readonly command: (words: readonly string[], writes: readonly string[]) => void;
  /** Around a subshell or a substitution. */
  readonly enter: () => void;
  readonly leave: () => void;
  readonly variable: (name: string) => string | undefined;
}

/** In a word: text that only the shell knows, such as a variable's value or a command's output. */
export const UNKNOWN = "\uE000";
/** In a word: a pattern such as `*` or `{a,b}`. */
export const GLOB = "\uE001";

const BLANKS = /(?:[^\S\n]|\\\n)+|#[^\n]*/y;
const REDIRECTION = /\d?(?:<<<|<<-?|[<>]&|>>|>\||<>|[<>])|&>>?/y;
const OPERATOR = /[;&|()\n]/y;
const OPERATOR_OR_BACKTICK = /[;&|()\n`]/y;
const ARITHMETIC = /\(\((?:[^()]|\([^()]*\))*\)\)/y;
/** Words before a command that are not part of it. */
const PREFIX = /^(?:if|then|else|elif|fi|while|until|do|done|!|time|[{}]|\w+\+?=.*)$/s;
/** Without a limit, a million brackets would be a million calls. */
const MAX_DEPTH = 40;

export function readCommands(text: string, visitor: ShellVisitor): void {
  let at = 0;
  const open: string[] = [];
  let hereDocuments: { readonly end: string; readonly isIndented: boolean }[] = [];
  readList("");

  function take(pattern: RegExp): string {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  }

  /** Up to the end of the text, or of the bracket or backtick that holds the list. */
  function readList(end: string): void {
    let words: string[] = [];
    let writes: string[] = [];
    while (at < text.length) {
      if (take(BLANKS) || take(ARITHMETIC)) continue;
      const redirection = take(REDIRECTION);
      if (redirection !== "") {
        readRedirection(redirection.replace(/^\d/, ""), writes);
        continue;
      }
      const operator = take(end === "`" ? OPERATOR_OR_BACKTICK : OPERATOR);
      if (operator === "") {
        const word = readWord();
        if (words.length > 0 || !PREFIX.test(word)) words.push(word);
        continue;
      }
      if (words.length + writes.length > 0) visitor.command(words, writes);
      [words, writes] = [[], []];
      if (operator === end) return;
      if (operator === "(") readInner(")");
      if (operator === "\n") skipHereDocuments();
    }
    if (words.length + writes.length > 0) visitor.command(words, writes);
  }

  function readInner(end: string): void {
    if (open.length === MAX_DEPTH) {
      at = text.length;
      return;
    }
    open.push(end);
    visitor.enter();
    readList(end);
    visitor.leave();
    open.pop();
  }

  function readRedirection(kind: string, writes: string[]): void {
    take(BLANKS);
    const word = readWord();
    if (/^<<-?$/.test(kind)) hereDocuments.push({ end: word, isIndented: kind === "<<-" });
    // `>&1` and `>&-` are about streams.
    const isFile = word !== "" && !(kind === ">&" && /^[\d-]+$/.test(word));
    if (kind.includes(">") && isFile) writes.push(word);
  }

  function skipHereDocuments(): void {
    for (const { end, isIndented } of hereDocuments) {
      for (let isFound = false; !isFound && at < text.length;) {
        if (isIndented) take(/\t*/y);
        const lineEnd = text.indexOf("\n", at);
        const next = lineEnd < 0 ? text.length : lineEnd;
        isFound = next - at === end.length && text.startsWith(end, at);
        at = next + 1;
      }
    }
    hereDocuments = [];
  }

  function readWord(): string {
    let word = "";
    for (;;) {
      word += take(/[^\s'"\\$`<>|&;()*?[{~]+/y);
      const char = text[at] ?? "";
      if (/^[\s<>|&;()]?$/.test(char) || (char === "`" && open.at(-1) === "`")) return word;
      at++;
      word += readSpecial(char, word === "");
    }
  }

  function readSpecial(char: string, isFirst: boolean): string {
    switch (char) {
      case "'":
        return readSingleQuoted();
      case '"':
        return readDoubleQuoted();
      case "\\":
        return take(/[^]/y).replace("\n", "");
      case "~":
        if (!isFirst) return char;
        return /[/\s;&|<>)]/.test(text[at] ?? "/") ? valueOf("HOME") : UNKNOWN;
      case "{": {
        const start = at;
        if (/,|\.\./.test(take(/[^{}\s;&|<>()]*\}/y))) return GLOB;
        // `{}` and `@{1}` are not lists.
        at = start;
        return char;
      }
      case "[":
        take(/[^[\]\s;&|<>()]*\]/y);
        return GLOB;
      case "*":
      case "?":
        return GLOB;
      default:
        return readSubstitution(char);
    }
  }

  function readSingleQuoted(): string {
    const end = text.indexOf("'", at);
    const quoted = text.slice(at, end < 0 ? undefined : end);
    at += quoted.length + 1;
    return quoted;
  }

  function readDoubleQuoted(): string {
    let quoted = "";
    for (;;) {
      quoted += take(/[^"\\$`]+/y);
      const char = text[at++] ?? '"';
      if (char === '"') return quoted;
      if (char !== "\\") quoted += readSubstitution(char);
      else quoted += take(/\n/y) ? "" : take(/["\\$`]/y) || char;
    }
  }

  /** Behind a `$` or a backtick. */
  function readSubstitution(char: string): string {
    if (char === "`") readInner("`");
    else if (take(/\((?!\()/y)) readInner(")");
    else if (!take(ARITHMETIC)) {
      const name = take(/\w+|[@*#?$!-]|\{[^{}]*\}/y).replace(/^\{(.*)\}$/s, "$1");
      return name === "" ? char : valueOf(name);
    }
    return UNKNOWN;
  }

  function valueOf(name: string): string {
    return visitor.variable(name) ?? UNKNOWN;
  }
}
