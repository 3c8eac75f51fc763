// Events as people read them, in a worker's terminal and in `saga logs`.

import { lineOf, type Line } from "../story/events.ts";
import type { RunEvent } from "../story/run.ts";
import { block, plain, type Paint } from "./output.ts";

const STYLES = { plain: undefined, good: "green", bad: "red", dim: "dim", loud: "bold" } as const;
const HEAD_WIDTH = 14;

/** With a line break at its end; empty for what people need not see. */
export function logLine(event: RunEvent, paint: Paint): string {
  const line = lineOf(event);
  return line === undefined ? "" : `${render(line, paint)}\n`;
}

function render({ at, tone, head, text }: Line, paint: Paint): string {
  const style = STYLES[tone];
  const indent = " ".repeat(TIME_WIDTH + HEAD_WIDTH + 2);
  const body = clipped(block(text).split("\n")).join(`\n${indent}`);
  const said = style === undefined ? body : paint(style, body);
  const name = paint(style ?? "cyan", headOf(head).padEnd(HEAD_WIDTH));
  return `${paint("dim", localTime(at))}  ${name}${said}`;
}

/** Tools of a server have long names, of which the last part tells; two spaces part it from the rest. */
const headOf = (head: string): string =>
  plain(head)
    .replace(/^mcp__.*__(?=.)/, "")
    .slice(0, HEAD_WIDTH - 2);

/** Of a long output the beginning says what it was and the end how it went; `--json` has it all. */
const MAX_LINES = 14;

function clipped(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  const half = MAX_LINES / 2;
  return [...lines.slice(0, half), `… ${lines.length - MAX_LINES} lines …`, ...lines.slice(-half)];
}

const TIME_WIDTH = 8;

function localTime(at: string): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}
