// A scripted agent that works through the task list with Claude's tools, and does the scripted steps of each task. It has
// no state: like a real model it derives its progress from the conversation, so it can be interrupted and resumed
// anywhere.

import type { Content, Reply, Script, Turn } from "./model-server.ts";
import type { Block } from "./stream.ts";

/** One call of a tool. */
export interface AgentStep {
  readonly tool: string;
  readonly input: unknown;
}

export type StepsOf = (taskId: string, turn: Turn) => readonly AgentStep[];

export const scriptedAgent =
  (stepsOf: StepsOf): Script =>
  (turn) =>
    say(nextStep(turn, stepsOf));

export const say = (block: Block | AgentStep | string): Reply => {
  if (typeof block === "string") return say({ type: "text", text: block });
  return {
    kind: "say",
    blocks: ["tool" in block ? { type: "tool_use", name: block.tool, input: block.input } : block],
  };
};

function nextStep(turn: Turn, stepsOf: StepsOf): AgentStep | string {
  const { calls } = conversation(turn);
  const last = calls.at(-1);
  if (!last) return { tool: "TaskList", input: {} };
  const taskId = taskOf(last.input);
  switch (last.name) {
    case "TaskList":
      return startTask(last.answer);
    case "TaskUpdate":
      if (statusOf(last.input) !== "completed") return { tool: "TaskGet", input: { taskId } };
      if (last.answer.startsWith("Updated task")) return { tool: "TaskList", input: {} };
      return nextOfTask(calls, turn, stepsOf) ?? `I could not complete ${taskId}: ${last.answer}`;
    default:
      return (
        nextOfTask(calls, turn, stepsOf) ?? {
          tool: "TaskUpdate",
          input: { taskId: taskOf(currentTask(calls)?.input), status: "completed" },
        }
      );
  }
}

function startTask(list: string): AgentStep | string {
  const next = openTasks(list)[0];
  if (next === undefined) return "No task is left to start.";
  return { tool: "TaskUpdate", input: { taskId: next, status: "in_progress" } };
}

/** Open tasks without open blockers, those in progress first. Tasks with numbers are Claude's own. */
export function openTasks(list: string): string[] {
  const lines = [...list.matchAll(/^#(?<id>[\w-]+) \[(?<status>\w+)\] (?<rest>.*)$/gm)];
  const open = lines.flatMap(({ groups }) => {
    const { id = "", status = "", rest = "" } = groups ?? {};
    const isOpen = status !== "completed" && !/\[blocked by [^\]]*\]$/.test(rest);
    return isOpen && !/^\d+$/.test(id) ? [{ id, isBegun: status === "in_progress" }] : [];
  });
  return open.toSorted((a, b) => Number(b.isBegun) - Number(a.isBegun)).map(({ id }) => id);
}

/** The next step of the current task. Undefined when all are done. */
function nextOfTask(calls: readonly Call[], turn: Turn, stepsOf: StepsOf): AgentStep | undefined {
  const current = currentTask(calls);
  const taskId = taskOf(current?.input);
  if (current === undefined || taskId === undefined) return { tool: "TaskList", input: {} };
  return stepsOf(taskId, turn)[calls.length - 1 - calls.indexOf(current)];
}

const currentTask = (calls: readonly Call[]): Call | undefined =>
  calls.findLast(({ name }) => name === "TaskGet");

export interface Call {
  readonly name: string;
  readonly input: unknown;
  readonly answer: string;
  readonly isError: boolean;
}

/** The tool calls so far, with their results. */
export function conversation(turn: Turn): { readonly calls: readonly Call[] } {
  const contents: readonly Content[] = turn.messages.flatMap(({ content }) => content);
  const answers = new Map(
    contents.flatMap((content) =>
      content.type === "tool_result" ? [[content.toolUseId, content] as const] : [],
    ),
  );
  const calls = contents.flatMap((content) => {
    if (content.type !== "tool_use") return [];
    const answer = answers.get(content.id);
    return [
      {
        name: content.name,
        input: content.input,
        answer: answer?.text ?? "",
        isError: answer?.isError ?? false,
      },
    ];
  });
  return { calls };
}

const taskOf = (input: unknown): string | undefined =>
  (input as { taskId?: string } | undefined)?.taskId;
const statusOf = (input: unknown): string | undefined =>
  (input as { status?: string } | undefined)?.status;
