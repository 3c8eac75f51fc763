// Text for a terminal. Everything that comes from a file is made harmless first, so that a title or a path cannot
// move the cursor or colour the screen.

import { relative } from "node:path";
import { styleText } from "node:util";
import type { Problem, SagaError } from "../../errors.ts";
import { truncate } from "../../text/one-line.ts";
import type { StoryState, TaskState } from "../../story/state/state.ts";

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

export const painter = (hasColour: boolean): Paint =>
  hasColour ? (style, text) => styleText(style, text) : (_, text) => text;

/** One JSON document. Characters that control a terminal are escaped, which keeps its meaning. */
export const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 2).replaceAll(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )}\n`;

/** One line in which control characters are replaced by a mark. */
export const plain = (text: string): string => block(text).replaceAll(/[\n\t]/g, "␣");

/** Like `plain`, cut to a length that fits a row. A trailing "(and 3 more)" is kept. */
export function short(text: string): string {
  const line = plain(text);
  const [end = ""] = / \(and \d+ more\)\.?$/.exec(line) ?? [];
  return `${truncate(line.slice(0, line.length - end.length), MAX_IN_LINE - end.length)}${end}`;
}

const MAX_IN_LINE = 120;

/** Like `plain`, but keeps line breaks and tabs. */
export const block = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are the characters to replace
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, "␛");

/** A message of several lines. Further lines are indented, so that a name with a line break cannot fake a message. */
export const lines = (text: string): string => block(text).replaceAll(/\n(?=[^\s])/g, "\n  ");

export const indent = (text: string, by = "  "): string =>
  block(text)
    .split("\n")
    .map((line) => (line === "" ? "" : `${by}${line}`))
    .join("\n");

const LOOKS: Readonly<Record<StoryState | TaskState, { mark: string; style: Style }>> = {
  pending: { mark: "·", style: "dim" },
  waiting: { mark: "◌", style: "dim" },
  ready: { mark: "○", style: "cyan" },
  running: { mark: "◐", style: "blue" },
  stalled: { mark: "◐", style: "yellow" },
  blocked: { mark: "■", style: "magenta" },
  failed: { mark: "✗", style: "red" },
  stopped: { mark: "▪", style: "yellow" },
  killed: { mark: "†", style: "red" },
  limit: { mark: "◔", style: "yellow" },
  unfinished: { mark: "◑", style: "yellow" },
  "sent-back": { mark: "↩", style: "cyan" },
  review: { mark: "◆", style: "green" },
  completed: { mark: "●", style: "green" },
};

/** The longest name of a state, plus one. */
export const STATE_WIDTH = 11;

export const stateMark = (state: StoryState | TaskState, paint: Paint): string =>
  paint(LOOKS[state].style, LOOKS[state].mark);

/** `word` replaces the state's name and has its colour. */
export const stateName = (
  state: StoryState | TaskState,
  paint: Paint,
  width = 0,
  word: string = state,
): string => paint(LOOKS[state].style, word.padEnd(width));

/** Columns as wide as their widest cell; the last one is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths?.[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

export function describeError(error: SagaError, paint: Paint, cwd: string): string {
  return [
    `${paint("red", "saga:")} ${lines(error.message)}`,
    ...error.problems.map((problem) => describeProblem(problem, paint, cwd)),
    ...(error.hint === undefined ? [] : [lines(error.hint)]),
    "",
  ].join("\n");
}

/** `file:line:column` first, so that editors and terminals can jump there. */
export function describeProblem(problem: Problem, paint: Paint, cwd: string): string {
  const isOption = problem.file.startsWith("--");
  const near = isOption ? "" : relative(cwd, problem.file);
  const file = near !== "" && !near.startsWith("..") ? near : problem.file;
  const place = [file, problem.line, problem.column].filter((part) => part !== undefined).join(":");
  const severity =
    problem.severity === "error" ? paint("red", "error") : paint("yellow", "warning");
  return `${paint("bold", plain(place))}: ${severity}: ${plain(problem.message)}\n    ${paint("dim", plain(problem.fix))}`;
}

/** Names and values in two columns. Empty values are left out. */
export function facts(
  pairs: readonly (readonly [string, string | undefined])[],
  paint: Paint,
): string[] {
  return pairs.flatMap(([name, value]) =>
    value ? [`  ${paint("dim", name.padEnd(14))}${plain(value)}`] : [],
  );
}

/** A text below its heading. Empty without a text. */
export function section(name: string, text: string | undefined, paint: Paint): string[] {
  return text?.trim() ? ["", paint("bold", name), indent(text.trimEnd())] : [];
}
