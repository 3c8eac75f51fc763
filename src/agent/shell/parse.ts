// A text of shell commands as the simple commands in it, in the order in which a shell would come to
// them. Reads what agents write, not all that bash knows: what it does not understand, it leaves out.

import { breakOff, enter, listed, readWord, skipArithmetic, take, type Cursor } from "./words.ts";

export interface SimpleCommand {
  /** The program and its arguments, with marks for what only the shell knows. */
  readonly words: readonly string[];
  /** The files that its output is sent to. */
  readonly writes: readonly string[];
}

/** Where a subshell begins and ends: what it changes of the shell itself ends with it. */
export const BEGIN = 1;
const END = 2;
/** The end of a function's body, which begins like a subshell but may run at any time. */
export const END_FUNCTION = 3;
export type Step = SimpleCommand | typeof BEGIN | typeof END | typeof END_FUNCTION;

/** What is open around a command. Between `case … in` or `;;` and the next `)` stand patterns. */
const SUBSHELL = 4;
const BRACES = 5;
const FUNCTION = 6;
const CASE = 7;
const PATTERN = 8;

const BLANKS = /(?:[^\S\n]|\\\n)+|#[^\n]*/y;
const REDIRECTION = /\d*(?:<<<|<<-?|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|&>>?/y;
const OPERATOR = /;;?&?|&&?|\|[|&]?|[()\n]/y;
const EMPTY_BRACKETS = /[ \t]*\([ \t]*\)/y;
/** They come before a command, or stand in for one. What is set for git stays with its command. */
const KEYWORD =
  /^(?:if|then|else|elif|fi|while|until|do|done|!|time|coproc|(?!GIT_(?:DIR|WORK_TREE)=.)\w+\uE001?\+?=.*)$/s;

export function readCommands(
  text: string,
  variables: ReadonlyMap<string, string>,
  depth = 0,
): readonly Step[] {
  const steps: Step[] = [];
  /** Those whose text begins on the next line. */
  let hereDocuments: { readonly end: string; readonly isIndented: boolean }[] = [];
  const cursor: Cursor = {
    text,
    at: 0,
    depth,
    isBroken: false,
    variables,
    readInner(inner) {
      steps.push(BEGIN);
      if (!enter(cursor)) return;
      if (inner === undefined) readList(true);
      else for (const step of readCommands(inner, variables, cursor.depth)) steps.push(step);
      cursor.depth--;
      steps.push(END);
    },
  };
  readList(false);
  return steps;

  /** Commands up to the end of the text, or of the substitution that holds them. */
  function readList(isInner: boolean): void {
    let words: string[] = [];
    let writes: string[] = [];
    /** The name of a function was read, and its body comes next. */
    let isFunction = false;
    const groups: number[] = [];
    let subshells = 0;

    while (cursor.at < text.length) {
      if (take(cursor, BLANKS) !== "") continue;
      const redirection = take(cursor, REDIRECTION).replace(/^\d+/, "");
      if (redirection !== "") {
        readRedirection(redirection);
        continue;
      }
      if (skipArithmetic(cursor)) continue;
      if (words.length === 1 && take(cursor, EMPTY_BRACKETS) !== "") {
        words = [];
        isFunction = true;
        continue;
      }
      const operator = take(cursor, OPERATOR);
      if (operator === "") readArgument();
      else if (operator !== "(" || groups.at(-1) !== PATTERN) {
        endCommand();
        if (operator === "(" && enter(cursor)) open(SUBSHELL);
        else if (operator === "\n") skipHereDocuments();
        else if (/^;[;&]/.test(operator)) turn(CASE, PATTERN);
        else if (operator === ")" && !turn(PATTERN, CASE)) {
          // What stands open inside, such as a `{`, ends with it.
          if (subshells > 0) while (close() !== SUBSHELL);
          else if (isInner) return;
        }
      }
    }
    if (isInner) breakOff(cursor);
    endCommand();

    function endCommand(): void {
      const isCommand = words.length + writes.length > 0 && groups.at(-1) !== PATTERN;
      if (isCommand && !cursor.isBroken) steps.push({ words, writes });
      words = [];
      writes = [];
    }

    function open(group: number): void {
      groups.push(group);
      if (group === SUBSHELL) subshells++;
      if (group === SUBSHELL || group === FUNCTION) steps.push(BEGIN);
      isFunction = false;
    }

    function close(): number | undefined {
      const group = groups.pop();
      if (group === SUBSHELL) {
        subshells--;
        cursor.depth--;
        steps.push(END);
      }
      if (group === FUNCTION) steps.push(END_FUNCTION);
      return group;
    }

    function turn(from: number, to: number): boolean {
      const isIn = groups.at(-1) === from;
      if (isIn) groups.splice(-1, 1, to);
      return isIn;
    }

    function readRedirection(redirection: string): void {
      take(cursor, BLANKS);
      const word = readWord(cursor) ?? "";
      if (/^<<-?$/.test(redirection)) {
        hereDocuments.push({ end: word, isIndented: redirection === "<<-" });
        // `>&1` and `>&-` are about streams.
      } else if (redirection.includes(">") && !(redirection === ">&" && /^[\d-]+$/.test(word))) {
        writes.push(...listed(word));
      }
    }

    function readArgument(): void {
      const group = groups.at(-1);
      const before = cursor.at;
      const word = readWord(cursor);
      // Whatever comes, the reading goes on.
      if (word === undefined) cursor.at++;
      else if (words.length > 0 || group === PATTERN) {
        if (words.length === 2 && words[0] === "case" && word === "in") {
          words = [];
          groups.push(PATTERN);
        } else if (words.length === 0 && word === "esac") close();
        else words.push(...listed(word));
      } else if (word === "{") open(isFunction ? FUNCTION : BRACES);
      else if (/^(?:\}|esac)$/.test(word)) close();
      else if (text.startsWith("[[", before)) skipCondition();
      else if (word === "function") {
        take(cursor, BLANKS);
        readWord(cursor);
        take(cursor, EMPTY_BRACKETS);
        isFunction = true;
      } else if (!KEYWORD.test(word)) words.push(...listed(word));
    }
  }

  /** Between `[[` and `]]` a `>` compares. */
  function skipCondition(): void {
    for (let word: string | undefined; word !== "]]" && cursor.at < text.length;) {
      word = readWord(cursor);
      if (word === undefined) cursor.at++;
    }
  }

  /** Their text is data, whatever it looks like. */
  function skipHereDocuments(): void {
    for (const { end, isIndented } of hereDocuments) {
      for (let isFound = false; !isFound && cursor.at < text.length;) {
        if (isIndented) take(cursor, /\t*/y);
        const lineEnd = text.indexOf("\n", cursor.at);
        const next = lineEnd < 0 ? text.length : lineEnd;
        isFound = next - cursor.at === end.length && text.startsWith(end, cursor.at);
        cursor.at = next + 1;
      }
    }
    hereDocuments = [];
  }
}
