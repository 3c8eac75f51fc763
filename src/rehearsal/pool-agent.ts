// A scripted agent for the pool: does the steps of its one task, then calls `finish`. Like `scripted-agent.ts` it derives
// its progress from the conversation.

import type { Script, Turn } from "./model-server.ts";
import { conversation, say, type AgentStep } from "./scripted-agent.ts";

/** The start of the prompt that `saga auto` gives to an agent. */
const TASK = /You are working on task (?<id>\S+) of the task list /;

const FINISH: AgentStep = {
  tool: "mcp__saga__finish",
  input: { outcome: "done", summary: "The rehearsal of this task." },
};

export const poolAgent =
  (stepsOf: (taskId: string) => readonly AgentStep[]): Script =>
  (turn) => {
    const taskId = taskOf(turn);
    if (taskId === undefined) return say("No task to work on.");
    const step = [...stepsOf(taskId), FINISH][conversation(turn).calls.length];
    return say(step ?? "Nothing left to do.");
  };

function taskOf({ messages }: Turn): string | undefined {
  for (const { role, content } of messages) {
    for (const part of content) {
      const isPrompt = role === "user" && part.type === "text";
      const id = isPrompt ? TASK.exec(part.text)?.groups?.["id"] : undefined;
      if (id !== undefined) return id;
    }
  }
  return undefined;
}
