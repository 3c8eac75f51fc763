// A run's log in the fixture's project, as a worker writes it.

import type { RunEvent } from "../../../src/story/state/run.ts";
import { COMMITS, TREE } from "./details.ts";
import { FIXTURE_NOW } from "./moment.ts";

/** An event every few seconds. */
export function eventsOf(): RunEvent[] {
  const startMs = FIXTURE_NOW - 23 * 60_000;
  return EVENTS.map((event, at) => ({ at: new Date(startMs + at * 4300).toISOString(), ...event }));
}

type EventWithoutTime = Omit<RunEvent, "at"> & { readonly type: string };

const tool = (
  id: string,
  name: string,
  about: string,
  ms: number,
  result = "",
  isError = false,
): EventWithoutTime[] => [
  { type: "tool.called", id, tool: name, about },
  { type: "tool.answered", id, tool: name, isError, ms, about: result },
];

const EVENTS: readonly EventWithoutTime[] = [
  { type: "run.started", session: "saga-story-checkout--prices-1794842460000" },
  {
    type: "step.done",
    step: "worktree",
    ms: 184,
    about: ".saga/worktrees/checkout--prices on story/checkout--prices",
  },
  {
    type: "step.done",
    step: "pull request",
    ms: 902,
    about: "https://github.com/acorn/bookshop/pull/46",
  },
  { type: "cycle.started", cycle: 1, tasksLeft: 5 },
  { type: "agent.started", conversation: "0b7f", model: "claude-sonnet-5" },
  {
    type: "agent.said",
    text: "I'll begin with the rates: a table by country and date, and the test that reads the ten example orders.",
  },
  ...tool("t1", "TaskUpdate", "tax-table: in progress", 12),
  { type: "task.changed", task: "tax-table", to: "in_progress" },
  ...tool("t2", "Read", "src/money.ts", 8, "64 lines"),
  ...tool("t3", "Grep", "round( in src", 31, "7 places in 4 files"),
  ...tool("t4", "Write", "src/prices/rates.ts", 15, "7 lines"),
  ...tool("t5", "Write", "src/prices/rates.test.ts", 11, "38 lines"),
  ...tool(
    "t6",
    "Bash",
    "npm test -- src/prices",
    4210,
    "1 failed, 5 passed: no rate for audiobook in AT",
    true,
  ),
  {
    type: "agent.said",
    text: "Audiobooks have a rate of their own in four countries. I'll add the kind instead of a special case.",
  },
  ...tool("t7", "Edit", "src/prices/rates.ts", 9, "3 lines changed"),
  ...tool("t8", "Bash", "npm test -- src/prices", 3980, "6 passed"),
  {
    type: "gate",
    gate: "check",
    command: "npm test -- src/prices",
    isPassed: true,
    ms: 3870,
    how: "exit 0",
    findings: [],
    tree: TREE,
    task: "tax-table",
  },
  { type: "task.changed", task: "tax-table", to: "completed" },
  { type: "task.committed", task: "tax-table", commit: COMMITS[0]?.commit },
  ...tool("t9", "Read", "src/invoice.ts", 7, "121 lines"),
  {
    type: "tool.refused",
    id: "t10",
    tool: "Edit",
    reason: "package.json is not among the files that this story may write.",
  },
  { type: "agent.said", text: "No new dependency, then: rounding half to even is four lines." },
  ...tool("t11", "Edit", "src/prices/total.ts", 10, "10 lines changed"),
  ...tool("t12", "Bash", "npm test -- src/prices", 4120, "9 passed"),
  {
    type: "gate",
    gate: "check",
    command: "npm test -- src/prices",
    isPassed: true,
    ms: 4020,
    how: "exit 0",
    findings: [],
    tree: TREE,
    task: "round-half-even",
  },
  { type: "task.changed", task: "round-half-even", to: "completed" },
  { type: "task.committed", task: "round-half-even", commit: COMMITS[1]?.commit },
  { type: "check-in", toolUses: 14, silent: 0 },
  { type: "task.changed", task: "price-lines", to: "in_progress" },
  { type: "tool.called", id: "t13", tool: "Bash", about: "npm test -- src/prices" },
];
