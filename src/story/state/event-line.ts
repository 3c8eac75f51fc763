// The line of the log for each event of a run.

import { count } from "../../text/plural.ts";
import { usd } from "../../text/usd.ts";
import { filesText } from "../early-warning/warning-text.ts";
import { findingText } from "../receipts/finding-text.ts";
import type { Receipt } from "../receipts/receipt.ts";
import type { RunEvent } from "./run.ts";
import type { StoryEvent } from "./story-event.ts";

/** A line of the log: `head` names its subject. */
export interface EventLine {
  readonly at: string;
  readonly tone: "plain" | "good" | "bad" | "dim" | "loud";
  readonly head: string;
  readonly text: string;
}

/**
 * Undefined for an event that is not shown. An event of another version or with missing fields is shown by its type, so
 * that it does not break the log.
 */
export function lineOf(event: RunEvent): EventLine | undefined {
  const line = describeAny(event);
  if (line === undefined) return undefined;
  const [tone, head, text] = line;
  return { at: event.at, tone, head, text };
}

function describeAny(event: RunEvent): EventText | undefined {
  const byName: EventText = ["dim", event.type, ""];
  try {
    const line = describe(event as unknown as StoryEvent);
    return line?.every((part: unknown) => typeof part === "string") === false ? byName : line;
  } catch {
    return byName;
  }
}

type EventText = readonly [tone: EventLine["tone"], head: string, text: string];

function describe(event: StoryEvent): EventText | undefined {
  switch (event.type) {
    case "run.started":
      return [
        "loud",
        "start",
        event.session ? `in tmux session ${event.session}` : "in this terminal",
      ];
    case "step.done":
      return ["dim", STEP_LABELS[event.step] ?? event.step, `${event.about} (${event.ms} ms)`];
    case "cycle.started":
      return ["loud", "agent run", agentRunText(event)];
    case "agent.started":
      return ["dim", "claude", `started ${event.model}, conversation ${event.conversation}`];
    case "agent.said":
      return ["plain", "agent says", event.text];
    case "agent.retries":
      return [
        "bad",
        "retry",
        `${event.status === undefined ? "no answer from the API" : `the API answered ${event.status}`}; retry ${event.attempt} in ${seconds(event.waitMs)}`,
      ];
    case "agent.billed":
      return [
        "dim",
        "cost",
        `${usd(event.costUsd, event.isEstimate, 4)}, ${event.inputTokens} tokens in, ${event.outputTokens} out`,
      ];
    case "tool.called":
      return ["plain", event.tool, event.about];
    case "tool.refused":
      return ["bad", "refused", `${event.tool}: ${event.reason}`];
    case "tool.answered":
      return event.isError
        ? ["bad", "error", `${event.tool}: ${event.about}`]
        : event.about === ""
          ? undefined
          : ["dim", "result", event.about];
    case "task.changed":
      return [
        event.to === "completed" ? "good" : "plain",
        "task",
        `\`${event.task}\` is ${STATUS_WORDS[event.to]}`,
      ];
    case "task.added":
      return ["plain", "task", `added \`${event.task}\`: ${event.subject}`];
    case "gate":
      return [event.isPassed ? "good" : "bad", "gate", gateText(event)];
    case "task.passed":
      return undefined;
    case "task.refused":
      return ["bad", "refused", `\`${event.task}\` stays in progress: ${event.reason}`];
    case "task.committed":
      return ["good", "commit", `${event.commit.slice(0, 10)} for task \`${event.task}\``];
    case "part.committed":
      return [
        "good",
        "commit",
        `${event.commit.slice(0, 10)} for task \`${event.task}\` (unfinished, before its split)`,
      ];
    case "task.split":
      return [
        "loud",
        "split",
        `\`${event.task}\` into ${event.into.map((id) => `\`${id}\``).join(", ")}: ${event.reason}`,
      ];
    case "check-in":
      return checkInLine(event);
    case "task.grows":
      return [
        "bad",
        "size",
        `\`${event.task}\` has changed ${count(event.files, "file")}, ${count(event.lines, "line")}`,
      ];
    case "conflict.ahead":
      return [
        "bad",
        "conflict",
        `merged now, it would conflict with ${event.with} in ${filesText(event.files, 5)}`,
      ];
    case "kept":
      return ["dim", "snapshot", `saved as ${event.ref} (${event.why})`];
    case "taken-over":
      return [
        "plain",
        "taken over",
        `uncommitted work from machine ${event.machine} (${event.snapshot})`,
      ];
    case "journal":
      return [event.kind === "blocker" ? "bad" : "plain", event.kind, event.title];
    case "note.delivered":
      return ["loud", "note", `the agent got your note: ${event.title}`];
    case "limit.reached":
      return ["bad", "limit", `${event.reason} Waiting until ${event.until}.`];
    case "warning":
      return ["bad", "warning", event.message];
    case "run.killed":
      return ["bad", "killed", "The worker was killed; this is the end of its log."];
    case "run.ended":
      return [
        event.outcome === "done" ? "good" : "bad",
        event.outcome,
        `${event.reason} Total: ${count(event.cycles, "agent run")}, ${seconds(event.ms)}, ${usd(event.costUsd, event.costIsEstimate, 4)}.${event.next === undefined ? "" : ` Next: \`${event.next}\``}`,
      ];
    default:
      return ["dim", (event as RunEvent).type, ""];
  }
}

const STATUS_WORDS = {
  pending: "pending again",
  in_progress: "in progress",
  completed: "completed",
} as const;

/** The words for people; the names of steps are in records. */
const STEP_LABELS: Readonly<Record<string, string>> = {
  claim: "lock",
  hydrate: "tasks",
  reconcile: "sync",
  deliver: "pull request",
  accept: "merge",
};

function agentRunText({
  cycle,
  maxCycles,
  tasksLeft,
}: Extract<StoryEvent, { type: "cycle.started" }>): string {
  const limit = maxCycles === undefined ? "" : ` of at most ${maxCycles}`;
  return `${cycle}${limit} started, ${count(tasksLeft, "task")} left`;
}

function gateText({ gate, command, isPassed, how, findings }: Omit<Receipt, "at">): string {
  const what =
    command === undefined
      ? gate === "diff"
        ? "diff rules (files, size, secrets)"
        : gate
      : `\`${command}\``;
  const why = how ?? findings.map(findingText).join("; ");
  return `${what} ${isPassed ? "passed" : "failed"}${why && ` (${why})`}`;
}

function checkInLine({
  toolUses,
  silent,
  inFlight,
}: Extract<StoryEvent, { type: "check-in" }>): EventText {
  const running = inFlight && `${inFlight.tool} has been running for ${seconds(inFlight.ms)}`;
  const used = `${count(toolUses, "tool use")} since the last one`;
  return [silent > 0 ? "bad" : "dim", "check-in", running ? `${used}; ${running}` : used];
}

const seconds = (ms: number): string =>
  ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
