// Every event of a run's log. The types make the compiler report a missing event or field.

import { lineOf } from "../../src/story/state/event-line.ts";
import type { StoryEvent } from "../../src/story/state/story-event.ts";
import { code, fence, page, prose, table } from "./markdown.ts";

type Of<Type extends StoryEvent["type"]> = Extract<StoryEvent, { readonly type: Type }>;

interface About<Type extends StoryEvent["type"]> {
  readonly when: string;
  readonly fields: Readonly<Record<Exclude<keyof Of<Type>, "type">, string>>;
  readonly example: Of<Type>;
}

const EVENTS: { readonly [Type in StoryEvent["type"]]: About<Type> } = {
  "run.started": {
    when: "A worker started.",
    fields: { session: "the tmux session; missing in the foreground" },
    example: { type: "run.started", session: "saga-story-add-login-1794824114624" },
  },
  "step.done": {
    when: "The worker finished a step of its own: claim, worktree, pull request, task list, clean-up.",
    fields: { step: "its name", ms: "how long it took", about: "its result" },
    example: { type: "step.done", step: "worktree", ms: 41, about: "made on story/add-login" },
  },
  "cycle.started": {
    when: "A headless run of Claude Code begins.",
    fields: {
      cycle: "which one, from 1",
      maxCycles: "how many are allowed",
      tasksLeft: "how many tasks are open",
    },
    example: { type: "cycle.started", cycle: 1, maxCycles: 10, tasksLeft: 2 },
  },
  "agent.started": {
    when: "Claude Code answered for the first time.",
    fields: { conversation: "its own id of the conversation", model: "the model" },
    example: { type: "agent.started", conversation: "0f0c…", model: "claude-opus-4-1" },
  },
  "agent.said": {
    when: "The agent said something.",
    fields: { text: "what it said" },
    example: { type: "agent.said", text: "I will begin with the form." },
  },
  "agent.retries": {
    when: "The API did not answer; Claude Code retries.",
    fields: {
      attempt: "which attempt",
      status: "the answer's HTTP status, when there was one",
      waitMs: "how long it waits before that",
    },
    example: { type: "agent.retries", attempt: 1, status: 529, waitMs: 2000 },
  },
  "agent.billed": {
    when: "A headless run ended; this is its cost.",
    fields: {
      costUsd: "in US dollars",
      inputTokens: "input tokens",
      outputTokens: "output tokens",
      isEstimate: "whether Saga estimated it, because the run ended without a report",
    },
    example: { type: "agent.billed", costUsd: 0.1234, inputTokens: 51_000, outputTokens: 1200 },
  },
  "tool.called": {
    when: "The agent called a tool.",
    fields: {
      id: "connects the call with its answer",
      tool: "its name",
      about: "what it is for, in a few words; never the content of a file",
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
    when: "A tool answered.",
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
    when: "A task's status changed.",
    fields: { task: "which one", to: "`pending`, `in_progress` or `completed`" },
    example: { type: "task.changed", task: "form", to: "completed" },
  },
  "task.added": {
    when: "A task was added: by the agent, or to fix what the gate refused.",
    fields: { task: "its id", subject: "its title" },
    example: { type: "task.added", task: "fix", subject: "Fix what the gate refused" },
  },
  gate: {
    when: "A gate ran. The event is its receipt ([fields](files.md#receipt)).",
    fields: {
      gate: "`check`, `diff`, `test`, `review` or `person`",
      task: "the task it was about; missing for the whole story",
      tree: "the code it was about",
      isPassed: "whether it passed",
      ms: "how long it took",
      command: "of a check",
      how: "how the command ended",
      exitCode: "of the command",
      outputHash: "SHA-256 of what it printed",
      tail: "the end of what it printed",
      findings: "what it found wrong",
      overridden: "what a person overrode, and why",
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
    when: "A task passed its checks; written before the task is completed. Not shown in the log.",
    fields: { task: "which one" },
    example: { type: "task.passed", task: "form" },
  },
  "task.refused": {
    when: "A task was not accepted as completed.",
    fields: { task: "which one", reason: "why, as the agent is told" },
    example: { type: "task.refused", task: "form", reason: "`npm test` failed." },
  },
  "task.committed": {
    when: "A completed task was committed.",
    fields: { task: "which one", commit: "its id" },
    example: {
      type: "task.committed",
      task: "form",
      commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
    },
  },
  "part.committed": {
    when: "A task was stopped, and what was done of it was committed.",
    fields: { task: "which one", commit: "its id" },
    example: {
      type: "part.committed",
      task: "form",
      commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
    },
  },
  "task.split": {
    when: "A task that was stuck or too large was split.",
    fields: { task: "which one", into: "the new ones", reason: "why" },
    example: {
      type: "task.split",
      task: "form",
      into: ["fields", "style"],
      reason: "It grew past 5 files.",
    },
  },
  "check-in": {
    when: "The worker checked whether its agent still uses tools.",
    fields: {
      toolUses: "tools used since the last check-in",
      silent: "how many check-ins in a row without a tool, this one included",
      inFlight: "the running tool, and for how long",
    },
    example: { type: "check-in", toolUses: 0, silent: 1, inFlight: { tool: "Bash", ms: 95_000 } },
  },
  "task.grows": {
    when: "A task changed more files or lines than it may.",
    fields: {
      task: "which one",
      files: "changed files",
      lines: "changed lines",
      isCompleted: "it was completed before its size was checked",
    },
    example: { type: "task.grows", task: "form", files: 6, lines: 212 },
  },
  "conflict.ahead": {
    when: "Merged now, the story would conflict. Its agent is told, once for the same files.",
    fields: {
      kind: "`story` or `target`",
      with: "the other story, or the branch that the story goes into",
      files: "the files that conflict",
    },
    example: { type: "conflict.ahead", kind: "story", with: "add-logout", files: ["src/auth.ts"] },
  },
  kept: {
    when: "Uncommitted work was saved as a snapshot.",
    fields: { ref: "the ref; `saga snapshot list` shows it", why: "why it was saved" },
    example: { type: "kept", ref: "refs/saga/keep/add-login/1", why: "found uncommitted" },
  },
  "taken-over": {
    when: "In a fleet: the worker continues with what another machine had not committed.",
    fields: { machine: "that machine", snapshot: "its snapshot, as a ref at the remote" },
    example: {
      type: "taken-over",
      machine: "build-3",
      snapshot: "refs/saga/keep/add-login/4-build-3-1",
    },
  },
  journal: {
    when: "The agent wrote to the journal, a question for example.",
    fields: { kind: "`decision`, `diversion` or `blocker`", title: "its title" },
    example: { type: "journal", kind: "blocker", title: "Which database?" },
  },
  "note.delivered": {
    when: "The agent got a person's note (`saga note`), with a tool call or with its prompt.",
    fields: { title: "the note's first line" },
    example: { type: "note.delivered", title: "Keep the old route." },
  },
  "limit.reached": {
    when: "The account's usage limit was reached; all workers wait.",
    fields: { reason: "what the API said", until: "when the work continues" },
    example: {
      type: "limit.reached",
      reason: "The usage limit is reached.",
      until: "2026-11-16T15:00:00.000Z",
    },
  },
  warning: {
    when: "Something went wrong, and the work continues.",
    fields: { message: "what" },
    example: { type: "warning", message: "The branch could not be pushed." },
  },
  "run.killed": {
    when: "The worker was killed. `at` is its last heartbeat; the next worker writes the event.",
    fields: {},
    example: { type: "run.killed" },
  },
  "run.ended": {
    when: "The worker ended. Missing when it was killed.",
    fields: {
      outcome: "`done`, `failed`, `limit`, `blocked`, `stopped` or `merged`",
      reason: "why, in a sentence",
      cycles: "how many headless runs there were",
      ms: "how long it took",
      costUsd: "the total cost",
      costIsEstimate: "whether some of that is an estimate",
      next: "the next command for a person",
    },
    example: {
      type: "run.ended",
      outcome: "done",
      reason: "All tasks are completed.",
      cycles: 1,
      ms: 94_000,
      costUsd: 0.1234,
      next: "saga show add-login",
    },
  },
};

const AT = "2026-11-15T21:48:00.123Z";

export const eventsPage = (): string =>
  page(
    "Events",
    "Everything that happens in a run is appended as a line of JSON to `.saga/runs/<story>/<run>/events.jsonl`. `saga logs <story>` prints it for people, `saga logs <story> -f --json` follows it as JSON, and the dashboard shows both. Pool workers write the same under their own names (`auto-1`).",
    "Each event has `at` (the time) and `type`; the other fields depend on the type. Ignore types and fields that you do not know: later versions add more. Values of secret variables are redacted before a line is written.",
    ...Object.entries(EVENTS).flatMap(([type, about]) => section(type, about)),
  );

function section(type: string, { when, fields, example }: About<StoryEvent["type"]>): string[] {
  const line = lineOf({ at: AT, ...example });
  return [
    `## ${type}`,
    when,
    table(
      ["field", "meaning"],
      Object.entries<string>(fields).map(([name, what]) => [code(name), what]),
    ),
    fence("json", JSON.stringify({ at: AT, ...example })),
    line ? `In the log: \`${line.head}\` ${prose(line.text)}` : "Not shown in the log.",
  ];
}
