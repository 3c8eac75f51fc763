// Converts a run's events to log rows. A tool call and its answer are one row. Pure.

import { lineOf, type EventLine } from "../../../story/state/event-line.ts";
import type { RunEvent } from "../../../story/state/run.ts";
import { plainText } from "./plain-text.ts";

export const ROW_KINDS = ["tools", "says", "tasks", "gates", "problems", "steps"] as const;
export type RowKind = (typeof ROW_KINDS)[number];

export interface LogRow {
  /** Its index in the whole log, independent of filters. */
  readonly number: number;
  readonly at: string;
  readonly kind: RowKind;
  readonly tone: EventLine["tone"];
  readonly head: string;
  readonly text: string;
  readonly answer?: LoggedAnswer;
}

export interface LoggedAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly ms?: number | undefined;
}

export interface LogRows {
  readonly rows: readonly LogRow[];
  /** Rows of tool calls without an answer yet, by the id of the call. */
  readonly open: ReadonlyMap<string, number>;
}

export const noRows = (): LogRows => ({ rows: [], open: new Map() });

export function addEvents(before: LogRows, events: readonly RunEvent[]): LogRows {
  const rows = [...before.rows];
  const open = new Map(before.open);
  for (const event of events) {
    const id = typeof event["id"] === "string" ? event["id"] : undefined;
    const callAt = id === undefined ? undefined : open.get(id);
    const call = callAt === undefined ? undefined : rows[callAt];
    if (event.type === "tool.answered" && call && id !== undefined && callAt !== undefined) {
      rows[callAt] = answered(call, event);
      open.delete(id);
      continue;
    }
    const line = lineOf(event);
    if (line === undefined) continue;
    if (event.type === "tool.called" && id !== undefined) open.set(id, rows.length);
    rows.push({
      number: rows.length,
      at: line.at,
      kind: kindOf(event.type, line.tone),
      tone: line.tone,
      head: plainText(line.head),
      text: plainText(line.text),
    });
  }
  return { rows, open };
}

/** Adds the end to the log of a killed worker, which could not write it. */
export function withKilledEnd(rows: readonly LogRow[], startedAt: string): readonly LogRow[] {
  const at = rows.at(-1)?.at ?? startedAt;
  return addEvents({ rows, open: new Map() }, [{ at, type: "run.killed" }]).rows;
}

function answered(call: LogRow, event: RunEvent): LogRow {
  const isError = event["isError"] === true;
  const about = event["about"];
  const ms = event["ms"];
  return {
    ...call,
    tone: isError ? "bad" : call.tone,
    kind: isError ? "problems" : call.kind,
    answer: {
      text: typeof about === "string" ? plainText(about) : "",
      isError,
      ms: typeof ms === "number" ? ms : undefined,
    },
  };
}

function kindOf(type: string, tone: EventLine["tone"]): RowKind {
  if (type === "gate") return "gates";
  if (tone === "bad") return "problems";
  if (type.startsWith("tool.")) return "tools";
  if (type === "agent.said") return "says";
  if (/^(?:task|part)\.|^journal$/.test(type)) return "tasks";
  return "steps";
}
