import type { HookEvent, HookInput } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import type { AgentHooks, StatusChange, ToolCall } from "../agent/agent.ts";
import { sdkHooks } from "./sdk-hooks.ts";

const quiet: AgentHooks = {
  beforeTool: () => ({ isAllowed: true }),
  afterTaskChange: () => undefined,
  beforeCompletion: () => ({ isAllowed: true }),
};
const tool = { tool_use_id: "t1", tool_name: "Bash", tool_input: { command: "ls" }, cwd: "/w" };
const call: ToolCall = { id: "t1", tool: "Bash", input: { command: "ls" }, cwd: "/w" };

/** What Claude Code is answered when something happens. */
async function answer(
  hooks: Partial<AgentHooks>,
  event: HookEvent,
  more: object,
): Promise<unknown> {
  const matchers = sdkHooks({ ...quiet, ...hooks }, { canBlock: true })[event] ?? [];
  expect(matchers).toHaveLength(1);
  const [matcher] = matchers;
  const input = { hook_event_name: event, session_id: "c1", ...more } as unknown as HookInput;
  return matcher?.hooks[0]?.(input, "t1", { signal: new AbortController().signal });
}

describe("every tool", () => {
  it("is asked about: no matcher leaves one out, and no hook is cut short", () => {
    const hooks = sdkHooks(quiet, { canBlock: true });
    expect(hooks.PreToolUse?.map(({ matcher }) => matcher)).toEqual([undefined]);
    for (const { timeout } of Object.values(hooks).flat()) {
      expect(timeout).toBeGreaterThanOrEqual(3600);
    }
  });

  it("is refused by Claude Code itself if its hook fails, where it can", () => {
    const onFailure = (canBlock: boolean): unknown =>
      sdkHooks(quiet, { canBlock }).PreToolUse?.[0]?.onFailure;
    expect([onFailure(true), onFailure(false)]).toEqual(["block", undefined]);
  });

  it("is judged by its name, its input and where it runs", async () => {
    const calls: ToolCall[] = [];
    const beforeTool: AgentHooks["beforeTool"] = (one) => {
      calls.push(one);
      return { isAllowed: true };
    };
    expect(await answer({ beforeTool }, "PreToolUse", tool)).toEqual({});
    expect(calls).toEqual([call]);
  });

  it("may carry a word to the agent, when it is allowed", async () => {
    const noteForAgent = () => "Nearly too large.";
    expect(await answer({ noteForAgent }, "PreToolUse", tool)).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "Nearly too large." },
    });
    const beforeTool = () => ({ isAllowed: false, reason: "No." }) as const;
    expect(await answer({ noteForAgent, beforeTool }, "PreToolUse", tool)).toEqual(denied("No."));
    expect(await answer({ noteForAgent: () => undefined }, "PreToolUse", tool)).toEqual({});
  });

  it("may be refused, with a reason", async () => {
    const beforeTool = async () => ({ isAllowed: false, reason: "Not there." }) as const;
    expect(await answer({ beforeTool }, "PreToolUse", tool)).toEqual(denied("Not there."));
  });

  it.each([
    [
      "a problem",
      () => {
        throw new Error("Oh.");
      },
    ],
    ["a problem later on", () => Promise.reject(new Error("Oh."))],
  ])("is refused by %s in the judgement", async (_, beforeTool) => {
    expect(await answer({ beforeTool }, "PreToolUse", tool)).toEqual(
      denied("Saga could not judge this: Oh."),
    );
  });
});

describe("the result of TaskUpdate", () => {
  const tool_response = {
    success: true,
    taskId: "a",
    statusChange: { from: "pending", to: "completed" },
  };
  const update = { ...tool, tool_name: "TaskUpdate", tool_response };

  it("is reported before the agent continues, for this tool only", async () => {
    const calls: StatusChange[] = [];
    const afterTaskChange = (one: StatusChange): void => void calls.push(one);
    expect(await answer({ afterTaskChange }, "PostToolUse", update)).toEqual({});
    expect(calls).toEqual([{ taskId: "a", to: "completed" }]);
    expect(sdkHooks(quiet, { canBlock: true })["PostToolUse"]?.[0]?.matcher).toBe(
      "TaskCreate|TaskUpdate",
    );
  });

  it("is reported when it is new", async () => {
    const created: string[] = [];
    const afterTaskCreation = (taskId: string): void => void created.push(taskId);
    const made = { ...tool, tool_name: "TaskCreate", tool_response: { task: { id: "3" } } };
    expect(await answer({ afterTaskCreation }, "PostToolUse", made)).toEqual({});
    expect(created).toEqual(["3"]);
  });

  it("is not reported when nothing changed", async () => {
    const afterTaskChange = () => Promise.reject(new Error("Called."));
    const refused = { ...update, tool_response: { success: false, taskId: "a" } };
    expect(await answer({ afterTaskChange }, "PostToolUse", refused)).toEqual({});
  });

  it("that could not be recorded is reported, and does not stop the agent", async () => {
    const afterTaskChange = () => Promise.reject(new Error("Full."));
    expect(await answer({ afterTaskChange }, "PostToolUse", update)).toEqual({
      systemMessage: "Saga could not record this: Full.",
    });
  });
});

describe("a completion", () => {
  it("is asked for by the task's id", async () => {
    const calls: string[] = [];
    const beforeCompletion: AgentHooks["beforeCompletion"] = (id) => {
      calls.push(id);
      return { isAllowed: true };
    };
    const completed = { task_id: "add-form", task_subject: "Add a form" };
    expect(await answer({ beforeCompletion }, "TaskCompleted", completed)).toEqual({});
    expect(calls).toEqual(["add-form"]);
  });

  it.each([
    ["when it is refused", async () => ({ isAllowed: false, reason: "Red." }) as const, "Red."],
    ["by a problem", () => Promise.reject(new Error("Oh.")), "Saga could not judge this: Oh."],
  ])("does not happen %s", async (_, beforeCompletion, reason) => {
    const answered = await answer({ beforeCompletion }, "TaskCompleted", { task_id: "add-form" });
    expect(answered).toEqual({ decision: "block", reason });
  });
});

const denied = (reason: string) => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});
