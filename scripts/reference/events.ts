// Every event of a run's log. That none is forgotten, and no field of one, is for the compiler to say.

import { lineOf, type StoryEvent } from "../../src/story/state/events.ts";
import { code, fence, page, prose, table } from "./markdown.ts";

type Of<Type extends StoryEvent["type"]> = Extract<StoryEvent, { readonly type: Type }>;

interface About<Type extends StoryEvent["type"]> {
  readonly when: string;
  readonly fields: Readonly<Record<Exclude<keyof Of<Type>, "type">, string>>;
  readonly example: Of<Type>;
}

const EVENTS: { readonly [Type in StoryEvent["type"]]: About<Type> } = {
  "run.started": {
    when: "A worker has begun.",
    fields: { session: "the tmux session; nothing in the foreground" },
    example: { type: "run.started", session: "saga-story-add-login-1794824114624" },
  },
  "step.done": {
    when: "A step of the worker itself is done: claim, worktree, pull request, task list, clearing up.",
    fields: { step: "its name", ms: "how long it took", about: "what came of it" },
    example: { type: "step.done", step: "worktree", ms: 41, about: "made on story/add-login" },
  },
  "cycle.started": {
    when: "A headless run of Claude Code begins.",
    fields: { cycle: "which one, from 1", tasksLeft: "how many tasks are open" },
    example: { type: "cycle.started", cycle: 1, tasksLeft: 2 },
  },
  "agent.started": {
    when: "Claude Code has answered for the first time.",
    fields: { conversation: "its own id of the conversation", model: "the model" },
    example: { type: "agent.started", conversation: "0f0c…", model: "claude-opus-4-1" },
  },
  "agent.said": {
    when: "The agent has said something.",
    fields: { text: "what it said" },
    example: { type: "agent.said", text: "I will begin with the form." },
  },
  "agent.retries": {
    when: "The service did not answer, and Claude Code asks again.",
    fields: {
      attempt: "which attempt",
      status: "the answer's HTTP status, when there was one",
      waitMs: "how long it waits first",
    },
    example: { type: "agent.retries", attempt: 1, status: 529, waitMs: 2000 },
  },
  "agent.billed": {
    when: "A headless run has ended, and this is what it cost.",
    fields: {
      costUsd: "in US dollars",
      inputTokens: "tokens that went in",
      outputTokens: "tokens that came out",
      isEstimate: "whether Saga counted it, because the run ended without a report",
    },
    example: { type: "agent.billed", costUsd: 0.1234, inputTokens: 51_000, outputTokens: 1200 },
  },
  "tool.called": {
    when: "The agent uses a tool.",
    fields: {
      id: "joins it with its answer",
      tool: "its name",
      about: "what for, in a few words; never the content of a file",
    },
    example: { type: "tool.called", id: "t1", tool: "Edit", about: "src/form.js" },
  },
  "tool.refused": {
    when: "A guard refused a tool call.",
    fields: { id: "of the call", tool: "its name", reason: "why" },
    example: {
      type: "tool.refused",
      id: "t2",
      tool: "Write",
      reason: "It is outside the worktree.",
    },
  },
  "tool.answered": {
    when: "A tool has answered.",
    fields: {
      id: "of the call",
      tool: "its name",
      isError: "whether it failed",
      ms: "how long it took",
      about: "the beginning of the answer",
    },
    example: {
      type: "tool.answered",
      id: "t1",
      tool: "Bash",
      isError: true,
      ms: 900,
      about: "1 test failed",
    },
  },
  "task.changed": {
    when: "A task has another status now.",
    fields: { task: "which one", to: "`pending`, `in_progress` or `completed`" },
    example: { type: "task.changed", task: "form", to: "completed" },
  },
  "task.added": {
    when: "The story has a task more: the agent's own, or one to fix what a gate refused.",
    fields: { task: "its id", subject: "its title" },
    example: { type: "task.added", task: "fix", subject: "Fix what the gate refused" },
  },
  gate: {
    when: "A gate has passed or refused: a receipt ([its fields](files.md#receipt)).",
    fields: {
      gate: "`check`, `diff`, `test`, `review` or `person`",
      task: "the task it was about; nothing for the whole story",
      tree: "the code it was about",
      isPassed: "whether it passed",
      ms: "how long it took",
      command: "of a check",
      how: "how the command ended",
      exitCode: "of the command",
      outputHash: "SHA-256 of what it printed",
      tail: "the end of what it printed",
      findings: "what it objects to",
      overridden: "what a person set aside, and why",
    },
    example: {
      type: "gate",
      gate: "check",
      tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
      isPassed: false,
      ms: 900,
      command: "npm test",
      how: "exit 1",
      exitCode: 1,
      findings: [],
    },
  },
  "task.passed": {
    when: "A completion was let pass, written down before the task is completed. Not shown to people.",
    fields: { task: "which one" },
    example: { type: "task.passed", task: "form" },
  },
  "task.refused": {
    when: "A completion was refused.",
    fields: { task: "which one", reason: "why; the agent is told the same" },
    example: { type: "task.refused", task: "form", reason: "`npm test` failed." },
  },
  "task.committed": {
    when: "A completed task has its commit.",
    fields: { task: "which one", commit: "its id" },
    example: {
      type: "task.committed",
      task: "form",
      commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
    },
  },
  "part.committed": {
    when: "What there was of a task when it was stopped has a commit.",
    fields: { task: "which one", commit: "its id" },
    example: {
      type: "part.committed",
      task: "form",
      commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
    },
  },
  "task.split": {
    when: "A task that was stuck or too large became smaller ones.",
    fields: { task: "which one", into: "the new ones", reason: "why" },
    example: {
      type: "task.split",
      task: "form",
      into: ["fields", "style"],
      reason: "It grew past 5 files.",
    },
  },
  "check-in": {
    when: "The worker looked whether its agent still does something.",
    fields: {
      toolUses: "tools used since the last time",
      silent: "how many times in a row there was none, this one included",
      inFlight: "the tool that is running, and for how long",
    },
    example: { type: "check-in", toolUses: 0, silent: 1, inFlight: { tool: "Bash", ms: 95_000 } },
  },
  "task.grows": {
    when: "A task is larger than it may be.",
    fields: {
      task: "which one",
      files: "changed files",
      lines: "changed lines",
      isCompleted: "it was completed before anyone had looked",
    },
    example: { type: "task.grows", task: "form", files: 6, lines: 212 },
  },
  kept: {
    when: "Uncommitted work was saved as a snapshot.",
    fields: { ref: "where: `saga snapshot list` shows it", why: "the occasion" },
    example: { type: "kept", ref: "refs/saga/keep/add-login/1", why: "found uncommitted" },
  },
  journal: {
    when: "The agent wrote into the journal, a question among others.",
    fields: { kind: "`decision`, `diversion` or `blocker`", title: "its title" },
    example: { type: "journal", kind: "blocker", title: "Which database?" },
  },
  "limit.reached": {
    when: "The account's usage limit was reached; every worker waits.",
    fields: { reason: "what the service said", until: "when it goes on" },
    example: {
      type: "limit.reached",
      reason: "The usage limit is reached.",
      until: "2026-11-16T15:00:00.000Z",
    },
  },
  warning: {
    when: "Something was not as it should be, and the work goes on.",
    fields: { message: "what" },
    example: { type: "warning", message: "The branch could not be pushed." },
  },
  "run.killed": {
    when: "The worker was killed. Its time is that of the last sign of life; the next worker writes it.",
    fields: {},
    example: { type: "run.killed" },
  },
  "run.ended": {
    when: "The worker has ended. Missing when it was killed.",
    fields: {
      outcome: "`done`, `failed`, `limit`, `blocked`, `stopped` or `merged`",
      reason: "why, in a sentence",
      cycles: "how many headless runs there were",
      ms: "how long it took",
      costUsd: "what all of it cost",
      costIsEstimate: "whether some of that is an estimate",
    },
    example: {
      type: "run.ended",
      outcome: "done",
      reason: "All tasks are completed.",
      cycles: 1,
      ms: 94_000,
      costUsd: 0.1234,
    },
  },
};

const AT = "2026-11-15T21:48:00.123Z";

export const eventsPage = (): string =>
  page(
    "Events",
    "Everything that happens in a run is a line of JSON in `.saga/runs/<story>/<run>/events.jsonl`, only ever appended. `saga logs <story>` shows it for people, `saga logs <story> -f --json` as it is written, the dashboard both. Workers of the pool write the same, under their own names (`auto-1`).",
    "Each event has `at`, the time, and `type`; what else it has depends on the type. Programs should pass over types and fields that they do not know: there will be more. Values of secret variables are taken out before a line is written.",
    ...Object.entries(EVENTS).flatMap(([type, about]) => section(type, about)),
  );

function section(type: string, { when, fields, example }: About<StoryEvent["type"]>): string[] {
  const line = lineOf({ at: AT, ...example });
  return [
    `## ${type}`,
    when,
    table(
      ["field", "what it is"],
      Object.entries<string>(fields).map(([name, what]) => [code(name), what]),
    ),
    fence("json", JSON.stringify({ at: AT, ...example })),
    line ? `For people: \`${line.head}\` ${prose(line.text)}` : "People are not shown it.",
  ];
}
