// Renders events as lines, for a worker's terminal and for `saga logs`.

import { lineOf, type EventLine } from "../../story/state/event-line.ts";
import type { RunEvent } from "../../story/state/run.ts";
import { block, plain, type Paint } from "./terminal.ts";
import { stampOf } from "./timestamp.ts";

const STYLES = { plain: undefined, good: "green", bad: "red", dim: "dim", loud: "bold" } as const;
const HEAD_WIDTH = 14;

/** Ends with a line break; empty for events that are not shown. */
export function logLine(event: RunEvent, paint: Paint, nowMs = Date.now()): string {
  const line = lineOf(event);
  return line === undefined ? "" : `${render(line, paint, nowMs)}\n`;
}

/** The last lines of a text that ends with a line break. */
export const lastLines = (text: string, count: number): string =>
  count === 0
    ? ""
    : text
        .split("\n")
        .slice(-count - 1)
        .join("\n");

function render({ at, tone, head, text }: EventLine, paint: Paint, nowMs: number): string {
  const style = STYLES[tone];
  const stamp = stampOf(at, nowMs);
  const indent = " ".repeat(stamp.length + HEAD_WIDTH + 2);
  const body = clipped(block(text).split("\n")).join(`\n${indent}`);
  const painted = style === undefined ? body : paint(style, body);
  const name = paint(style ?? "cyan", shortHead(head).padEnd(HEAD_WIDTH));
  return `${paint("dim", stamp)}  ${name}${painted}`;
}

/** Of an MCP tool only the last part of its name; cut so that two spaces remain before the text. */
function shortHead(head: string): string {
  const name = plain(head).replace(/^mcp__.*__(?=.)/, "");
  return (SAGA_TOOLS.get(name) ?? name).slice(0, HEAD_WIDTH - 2);
}

/** Words for Saga's own tools whose names would be cut. */
const SAGA_TOOLS: ReadonlyMap<string, string> = new Map([
  ["report_blocker", "asks"],
  ["propose_split", "proposes"],
]);

/** Of a long output, the beginning and the end are shown; `--json` has all of it. */
const MAX_LINES = 14;

function clipped(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  const half = MAX_LINES / 2;
  return [...lines.slice(0, half), `… ${lines.length - MAX_LINES} lines …`, ...lines.slice(-half)];
}
