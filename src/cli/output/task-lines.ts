// Renders the pool's tasks for a terminal.

import { count } from "../../text/plural.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import type { PoolTaskState, PoolTaskView } from "../../tasks/view.ts";
import { duration } from "../../text/duration.ts";
import { firstLine } from "../../text/one-line.ts";
import { indent, plain, short, type Paint } from "./terminal.ts";

const LOOKS: Readonly<Record<PoolTaskState, { mark: string; style: Parameters<Paint>[0] }>> = {
  working: { mark: "◐", style: "blue" },
  abandoned: { mark: "◑", style: "yellow" },
  ready: { mark: "○", style: "cyan" },
  waiting: { mark: "◌", style: "dim" },
  "needs-you": { mark: "■", style: "magenta" },
  broken: { mark: "✗", style: "red" },
  completed: { mark: "●", style: "green" },
};

export interface TasksShown {
  readonly views: readonly PoolTaskView[];
  readonly problems: readonly PoolProblem[];
  /** File names that Claude Code ignores. */
  readonly unseen: readonly string[];
}

export function renderTasks(
  { views, problems, unseen }: TasksShown,
  paint: Paint,
  nowMs: number,
): string {
  const width = Math.max(0, ...views.map(({ id }) => id.length));
  const lines = views.map((view) =>
    [
      paint(LOOKS[view.state].style, LOOKS[view.state].mark),
      plain(view.id.padEnd(width)),
      // Two spaces end the subject where there are no colours.
      ...(view.subject === "" ? [] : [`${short(view.subject)} `]),
      paint("dim", plain(details(view, nowMs))),
    ]
      .join(" ")
      .trimEnd(),
  );
  if (lines.length === 0) lines.push("There are no tasks.");
  if (problems.length > 0) {
    lines.push(
      "",
      `${count(problems.length, "problem")}; the pool starts no task until ${problems.length === 1 ? "it is" : "they are"} fixed:`,
    );
    lines.push(...problems.map(({ message }) => `  ${plain(message)}`));
  }
  if (unseen.length > 0) {
    const which = unseen.map(short).join(", ");
    lines.push(
      "",
      `Claude Code and the pool ignore ${which}: a task's file name may only have letters, digits, - and _.`,
    );
  }
  return `${lines.join("\n")}\n`;
}

function details(view: PoolTaskView, nowMs: number): string {
  const more = [
    view.priority === undefined || view.priority === 3 ? "" : `priority ${view.priority}`,
    view.label ?? "",
  ].filter((part) => part !== "");
  return [stateWords(view, nowMs), ...more].join(", ");
}

function stateWords(
  { state, owner, since, waitsFor, why, attempts }: PoolTaskView,
  nowMs: number,
): string {
  switch (state) {
    case "working": {
      const forMs = since === undefined ? undefined : nowMs - Date.parse(since);
      return `${owner ?? "someone"}${forMs === undefined ? "" : `, for ${duration(forMs)}`}`;
    }
    case "waiting":
      return `waits for ${waitsFor.join(", ")}`;
    case "needs-you":
      return `needs you: ${firstLine(why ?? "")}`;
    case "broken":
      return `broken: ${firstLine(why ?? "")}`;
    case "abandoned":
      return why ?? state;
    case "ready":
      return attempts === 0 ? "ready" : `ready, failed ${count(attempts, "time")}`;
    case "completed":
      return "completed";
  }
}

/** One task in full. */
export function renderTask(
  view: PoolTaskView,
  more: {
    readonly description: string;
    readonly checks: readonly string[];
    readonly blocks: readonly string[];
    readonly lastFailure: string | undefined;
    readonly answers: readonly { readonly question: string; readonly answer: string }[];
  },
  paint: Paint,
  nowMs: number,
): string {
  const { style, mark } = LOOKS[view.state];
  const part = (head: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ["", paint("bold", head), ...lines.map((line) => indent(line))];
  return `${[
    `${paint(style, mark)} ${paint("bold", plain(`${view.id} ${view.subject}`.trimEnd()))}`,
    `  ${plain(details(view, nowMs))}`,
    ...(more.description.trim() === "" ? [] : ["", indent(more.description.trimEnd())]),
    ...part("Needs you", view.state === "needs-you" ? [view.why ?? ""] : []),
    ...part("Checks", more.checks),
    ...part("Others wait for it", more.blocks.length === 0 ? [] : [more.blocks.join(", ")]),
    ...part("Last failure", more.lastFailure === undefined ? [] : [more.lastFailure]),
    ...part(
      "Answers",
      more.answers.map(({ question, answer }) => `${question}\n  ${answer}`),
    ),
  ].join("\n")}\n`;
}
