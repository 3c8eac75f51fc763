import { expect, it } from "vitest";
import type { Message, Turn } from "./model-server.ts";
import { poolAgent } from "./pool-agent.ts";

const PROMPT = "You are working on task 7 of the task list chores. Do it.";
const step = { tool: "Write", input: { file_path: "a" } };

function turn(prompt: string, calls = 0): Turn {
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: prompt }] }];
  for (let at = 0; at < calls; at++) {
    const call = { type: "tool_use", id: `t${at}`, name: "Write", input: {} } as const;
    const answer = { type: "tool_result", toolUseId: `t${at}`, text: "", isError: false } as const;
    messages.push({ role: "assistant", content: [call] }, { role: "user", content: [answer] });
  }
  return { address: "", model: "opus", tools: [], messages };
}

const agent = poolAgent((taskId) => (taskId === "7" ? [step] : []));
const reply = (given: Turn): string => JSON.stringify(agent(given));

it("does the steps of its task, then finishes, then is silent", () => {
  expect(reply(turn(PROMPT))).toContain('"Write"');
  expect(reply(turn(PROMPT, 1))).toContain("mcp__saga__finish");
  expect(reply(turn(PROMPT, 2))).toContain("Nothing left to do.");
});

it("does nothing without a task", () => {
  expect(reply(turn("Hello."))).toContain("No task to work on.");
});
