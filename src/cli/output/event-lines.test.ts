import { describe, expect, it } from "vitest";
import { isHarmless } from "../../../test/support/refused.ts";
import { logLine } from "./event-lines.ts";
import { painter } from "./terminal.ts";

const at = "2026-11-15T21:48:05.000Z";
const plainly = painter(false);
const nowMs = Date.parse(at);
const line = (event: object): string => logLine({ at, type: "x", ...event }, plainly, nowMs);
const time = [new Date(at).getHours(), new Date(at).getMinutes(), new Date(at).getSeconds()]
  .map((part) => String(part).padStart(2, "0"))
  .join(":");

/** Clears the screen, sets the title, moves the cursor, reverses the reading direction. */
const EVIL = "\u001b[2J\u001b]0;evil\u0007\r\u009b31m\u0008\u202e\u2066\u0000";

const EVENTS = [
  { type: "run.started", session: EVIL },
  { type: "step.done", step: EVIL, ms: 1, about: EVIL },
  { type: "agent.started", conversation: EVIL, model: EVIL },
  { type: "agent.said", text: EVIL },
  { type: "tool.called", id: "t", tool: EVIL, about: EVIL },
  { type: "tool.refused", id: "t", tool: EVIL, reason: EVIL },
  { type: "tool.answered", id: "t", tool: EVIL, isError: true, about: EVIL },
  { type: "task.changed", task: EVIL, to: EVIL },
  { type: "task.committed", task: EVIL, commit: EVIL },
  { type: "kept", ref: EVIL, why: EVIL },
  { type: "journal", kind: EVIL, title: EVIL },
  { type: "limit.reached", reason: EVIL, until: EVIL },
  { type: "warning", message: EVIL },
  { type: "run.ended", outcome: EVIL, reason: EVIL, cycles: 1, ms: 1, costUsd: 0 },
  { type: EVIL },
];

describe("a line of the log", () => {
  it("has the time of day, a head and a text", () => {
    expect(line({ type: "tool.called", tool: "Bash", about: "npm test" })).toBe(
      `${time}  Bash          npm test\n`,
    );
  });

  it("has the date as well when it is not from today", () => {
    const event = { at, type: "agent.said", text: "One.\nTwo." };
    const dated = logLine(event, plainly, nowMs + 2 * 24 * 60 * 60 * 1000);
    expect(dated).toMatch(
      new RegExp(`^2026-11-1[56] ${time}  agent says {4}One\\.\\n {35}Two\\.\\n$`),
    );
  });

  it("has only the last part of an MCP tool's name, and a gap after it", () => {
    const tool = "mcp__saga__report_blocker";
    expect(line({ type: "tool.called", tool, about: "Which one?" })).toBe(
      `${time}  asks          Which one?\n`,
    );
  });

  it("indents the further lines of a text", () => {
    const indent = " ".repeat(24);
    expect(line({ type: "agent.said", text: "One.\n\nTwo." })).toBe(
      `${time}  agent says    One.\n${indent}\n${indent}Two.\n`,
    );
  });

  it("is empty for an event that is not shown", () => {
    expect(line({ type: "task.passed", task: "form" })).toBe("");
  });

  it.each(EVENTS)("cannot act on a terminal: $type", (event) => {
    const text = line(event);
    expect(isHarmless(text), JSON.stringify(text)).toBe(true);
    expect(text.split("\n")).toHaveLength(2);
  });

  it("has its head on one line, even if a tool's name has line breaks", () => {
    const text = line({ type: "tool.called", tool: "a\nb\tc", about: "x" });
    expect(text.split("\n")).toHaveLength(2);
    expect(isHarmless(text)).toBe(true);
  });

  it("has a colour that depends on the event, and none when colours are off", () => {
    const good = { at, type: "task.changed", task: "form", to: "completed" };
    expect(logLine(good, plainly)).not.toContain("\u001b");
    expect(logLine(good, (style, text) => `<${String(style)}>${text}`, nowMs)).toBe(
      `<dim>${time}  <green>task          <green>\`form\` is completed\n`,
    );
    expect(
      logLine({ at, type: "warning", message: "x" }, (style, text) => `<${String(style)}>${text}`),
    ).toContain("<red>warning");
  });
});
