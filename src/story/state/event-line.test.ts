import { describe, expect, it } from "vitest";
import { lineOf } from "./event-line.ts";
import type { StoryEvent } from "./story-event.ts";
import type { RunEvent } from "./run.ts";

const at = "2026-11-15T21:48:00.000Z";
/** `tone head | text`, or undefined. */
const line = (event: object): string | undefined => {
  const found = lineOf({ at, ...event } as RunEvent);
  return found && `${found.tone} ${found.head} | ${found.text}`;
};

const ended = {
  type: "run.ended",
  outcome: "done",
  reason: "All done.",
  cycles: 1,
  ms: 4200,
  costUsd: 0.25,
} as const;

const LINES: readonly (readonly [event: StoryEvent, line: string | undefined])[] = [
  [{ type: "run.started", session: "saga-a-1" }, "loud start | in tmux session saga-a-1"],
  [{ type: "run.started" }, "loud start | in this terminal"],
  [{ type: "step.done", step: "claim", ms: 3, about: "free" }, "dim lock | free (3 ms)"],
  [{ type: "cycle.started", cycle: 1, tasksLeft: 3 }, "loud agent run | 1 started, 3 tasks left"],
  [
    { type: "cycle.started", cycle: 2, maxCycles: 10, tasksLeft: 1 },
    "loud agent run | 2 of at most 10 started, 1 task left",
  ],
  [
    { type: "agent.started", conversation: "c1", model: "opus" },
    "dim claude | started opus, conversation c1",
  ],
  [{ type: "agent.said", text: "One.\nTwo." }, "plain agent says | One.\nTwo."],
  [
    { type: "agent.retries", attempt: 2, status: 529, waitMs: 1500 },
    "bad retry | the API answered 529; retry 2 in 1.5 s",
  ],
  [
    { type: "agent.retries", attempt: 3, waitMs: 120_000 },
    "bad retry | no answer from the API; retry 3 in 2 min",
  ],
  [
    { type: "agent.billed", costUsd: 0.5, inputTokens: 100, outputTokens: 9 },
    "dim cost | $0.5000, 100 tokens in, 9 out",
  ],
  [{ type: "tool.called", id: "t", tool: "Bash", about: "ls" }, "plain Bash | ls"],
  [
    { type: "tool.refused", id: "t", tool: "Write", reason: "Outside." },
    "bad refused | Write: Outside.",
  ],
  [
    { type: "tool.answered", id: "t", tool: "Bash", isError: true, about: "Exit code 1" },
    "bad error | Bash: Exit code 1",
  ],
  [
    { type: "tool.answered", id: "t", tool: "Bash", isError: false, about: "ok" },
    "dim result | ok",
  ],
  [{ type: "tool.answered", id: "t", tool: "Read", isError: false, about: "" }, undefined],
  [{ type: "task.changed", task: "form", to: "in_progress" }, "plain task | `form` is in progress"],
  [{ type: "task.changed", task: "form", to: "completed" }, "good task | `form` is completed"],
  [{ type: "task.passed", task: "form" }, undefined],
  [
    { type: "task.refused", task: "form", reason: "Red." },
    "bad refused | `form` stays in progress: Red.",
  ],
  [
    { type: "task.committed", task: "form", commit: "0123456789abcdef" },
    "good commit | 0123456789 for task `form`",
  ],
  [
    { type: "part.committed", task: "form", commit: "0123456789abcdef" },
    "good commit | 0123456789 for task `form` (unfinished, before its split)",
  ],
  [
    { type: "task.split", task: "form", into: ["a", "b"], reason: "Too large." },
    "loud split | `form` into `a`, `b`: Too large.",
  ],
  [
    { type: "task.grows", task: "form", files: 4, lines: 1 },
    "bad size | `form` has changed 4 files, 1 line",
  ],
  [{ type: "check-in", toolUses: 3, silent: 0 }, "dim check-in | 3 tool uses since the last one"],
  [{ type: "check-in", toolUses: 0, silent: 1 }, "bad check-in | 0 tool uses since the last one"],
  [
    { type: "check-in", toolUses: 0, silent: 0, inFlight: { tool: "Bash", ms: 180_000 } },
    "dim check-in | 0 tool uses since the last one; Bash has been running for 3 min",
  ],
  [
    { type: "kept", ref: "refs/saga/keep/x", why: "dirty" },
    "dim snapshot | saved as refs/saga/keep/x (dirty)",
  ],
  [{ type: "journal", kind: "decision", title: "Use B." }, "plain decision | Use B."],
  [{ type: "journal", kind: "blocker", title: "A or B?" }, "bad blocker | A or B?"],
  [
    { type: "limit.reached", reason: "Full.", until: "22:00" },
    "bad limit | Full. Waiting until 22:00.",
  ],
  [{ type: "warning", message: "Careful." }, "bad warning | Careful."],
  [ended, "good done | All done. Total: 1 agent run, 4.2 s, $0.2500."],
  [
    { ...ended, outcome: "stopped", next: "saga resume a" },
    "bad stopped | All done. Total: 1 agent run, 4.2 s, $0.2500. Next: `saga resume a`",
  ],
  [
    { ...ended, outcome: "limit", cycles: 2, ms: 600_000 },
    "bad limit | All done. Total: 2 agent runs, 10 min, $0.2500.",
  ],
];

describe("an event as a line", () => {
  it.each(LINES)("%j", (event, expected) => {
    expect(line(event)).toBe(expected);
  });

  it("keeps its time", () => {
    expect(lineOf({ at, type: "warning", message: "x" })?.at).toBe(at);
  });

  it("of a newer version is its type", () => {
    expect(line({ type: "agent.danced", with: "joy" })).toBe("dim agent.danced | ");
  });

  it.each(LINES.map(([{ type }]) => type))(
    "with missing fields does not break the log: %s",
    (type) => {
      const found = lineOf({ at, type });
      expect(typeof (found?.text ?? "")).toBe("string");
      expect(typeof (found?.head ?? "")).toBe("string");
    },
  );
});
