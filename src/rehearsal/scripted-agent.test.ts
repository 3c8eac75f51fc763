import { describe, expect, it } from "vitest";
import type { Content, Turn } from "./model-server.ts";
import { conversation, scriptedAgent, openTasks, say, type AgentStep } from "./scripted-agent.ts";

type Exchange = readonly [tool: string, input: unknown, answer: string];

/** A conversation with these tool calls, one in each turn. */
function turnAfter(...exchanges: readonly Exchange[]): Turn {
  const messages = exchanges.flatMap(([name, input, text], at) => {
    const call: Content = { type: "tool_use", id: `t${at}`, name, input };
    const answer: Content = { type: "tool_result", toolUseId: `t${at}`, text, isError: false };
    return [
      { role: "assistant", content: [call] },
      { role: "user", content: [answer] },
    ] as const;
  });
  const prompt = { role: "user", content: [{ type: "text", text: "Begin." }] } as const;
  return { address: "", model: "opus", tools: ["TaskList"], messages: [prompt, ...messages] };
}

const steps: Readonly<Record<string, readonly AgentStep[]>> = {
  form: [
    { tool: "Write", input: { file_path: "form" } },
    { tool: "Bash", input: { command: "true" } },
  ],
};
const agent = scriptedAgent((taskId) => steps[taskId] ?? []);
const next = (...exchanges: readonly Exchange[]): unknown => agent(turnAfter(...exchanges));
const calls = (name: string, input: unknown) => ({
  kind: "say",
  blocks: [{ type: "tool_use", name, input }],
});
const says = (text: string) => ({ kind: "say", blocks: [{ type: "text", text }] });

const LISTED: Exchange = [
  "TaskList",
  {},
  "#form [pending] Add a form\n#test [pending] Test it [blocked by #form]",
];
const STARTED: Exchange = [
  "TaskUpdate",
  { taskId: "form", status: "in_progress" },
  "Updated task #form status",
];
const READ: Exchange = ["TaskGet", { taskId: "form" }, "Task #form: Add a form"];
const WROTE: Exchange = ["Write", { file_path: "form" }, "ok"];
const RAN: Exchange = ["Bash", { command: "true" }, ""];
const COMPLETE = { taskId: "form", status: "completed" };

describe("a scripted agent", () => {
  it("reads the list first", () => {
    expect(next()).toEqual(calls("TaskList", {}));
  });

  it("starts the first task without open blockers", () => {
    expect(next(LISTED)).toEqual(calls("TaskUpdate", { taskId: "form", status: "in_progress" }));
  });

  it("reads the task, and does its steps in order", () => {
    expect(next(LISTED, STARTED)).toEqual(calls("TaskGet", { taskId: "form" }));
    expect(next(LISTED, STARTED, READ)).toEqual(calls("Write", { file_path: "form" }));
    expect(next(LISTED, STARTED, READ, WROTE)).toEqual(calls("Bash", { command: "true" }));
    expect(next(LISTED, STARTED, READ, WROTE, RAN)).toEqual(calls("TaskUpdate", COMPLETE));
  });

  it("reads the list again when a task is completed", () => {
    const completed: Exchange = ["TaskUpdate", COMPLETE, "Updated task #form status"];
    expect(next(LISTED, STARTED, READ, WROTE, RAN, completed)).toEqual(calls("TaskList", {}));
  });

  it("ends with the reason when it cannot complete a task", () => {
    const refused: Exchange = ["TaskUpdate", COMPLETE, "TaskCompleted hook feedback:\nRed."];
    expect(next(LISTED, STARTED, READ, WROTE, RAN, refused)).toEqual(
      says("I could not complete form: TaskCompleted hook feedback:\nRed."),
    );
  });

  it("continues with its steps after a completion that was refused", () => {
    const early: Exchange = ["TaskUpdate", COMPLETE, "TaskCompleted hook feedback:\nRed."];
    expect(next(LISTED, STARTED, READ, early)).toEqual(calls("Bash", { command: "true" }));
  });

  it.each(["No tasks found", "#form [completed] Add a form", "#b [pending] B [blocked by #x]"])(
    "ends when there is nothing to begin: %j",
    (list) => {
      expect(next(["TaskList", {}, list])).toEqual(says("No task is left to start."));
    },
  );

  it("derives its progress from the conversation alone", () => {
    const turn = turnAfter(LISTED, STARTED, READ, WROTE);
    expect(scriptedAgent((taskId) => steps[taskId] ?? [])(turn)).toEqual(agent(turn));
  });
});

describe("the open tasks", () => {
  it("have no open blockers, and begin with the one in progress", () => {
    const list = [
      "#a [completed] Done",
      "#b [pending] Open",
      "#c [in_progress] Started",
      "#d [pending] Later [blocked by #b, #c]",
      "#e [pending] Called [blocked by something] in its title",
    ].join("\n");
    expect(openTasks(list)).toEqual(["c", "b", "e"]);
  });

  it("do not include Claude's own, which have numbers", () => {
    expect(openTasks("#1 [pending] Mine\n#2-b [pending] The story's")).toEqual(["2-b"]);
  });
});

describe("a conversation", () => {
  it("is the list of tool calls with their results", () => {
    const turn = turnAfter(LISTED);
    const open: Content = { type: "tool_use", id: "t9", name: "Bash", input: {} };
    const messages = [...turn.messages, { role: "assistant", content: [open] } as const];
    expect(conversation({ ...turn, messages }).calls).toEqual([
      { name: "TaskList", input: {}, answer: LISTED[2], isError: false },
      { name: "Bash", input: {}, answer: "", isError: false },
    ]);
  });
});

describe("a reply", () => {
  it("is text, a step or a block", () => {
    expect(say("Hello.")).toEqual(says("Hello."));
    expect(say({ tool: "Bash", input: {} })).toEqual(calls("Bash", {}));
    expect(say({ type: "text", text: "Hello." })).toEqual(says("Hello."));
  });
});
