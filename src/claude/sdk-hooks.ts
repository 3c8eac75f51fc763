// Saga's functions inside a run of Claude Code. One PreToolUse hook covers every tool: when the worker
// is killed nobody answers it any more, and the agent can do nothing more either.

import type {
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
} from "@anthropic-ai/claude-agent-sdk";
import { messageOf } from "../errors.ts";
import type { ScopedCall, ScopeVerdict } from "../agent/scope/scope.ts";

export interface ToolCall extends ScopedCall {
  readonly id: string;
}

/** A call of TaskUpdate with what came of it: only the result says what has changed. */
export interface TaskUpdate extends ToolCall {
  readonly response: unknown;
}

export interface AgentHooks {
  readonly beforeTool: (call: ToolCall) => ScopeVerdict | Promise<ScopeVerdict>;
  /** What the agent is told with the answer of a call that was allowed, if anything. */
  readonly noteForAgent?: (() => string | undefined) | undefined;
  /** The agent goes on when this is done. What other tools answer is heard in the stream: asking the
   * worker about each would cost every call another way there and back. */
  readonly afterTaskUpdate: (update: TaskUpdate) => void | Promise<void>;
  /** Asked before a completion is written; a refusal leaves the task as it was. */
  readonly beforeCompletion: (taskId: string) => ScopeVerdict | Promise<ScopeVerdict>;
}

/** Checks run inside a hook and may take their time; the worker itself decides when it is too long. */
const HOOK_TIMEOUT_S = 24 * 3600;

export function sdkHooks(hooks: AgentHooks): Partial<Record<HookEvent, HookCallbackMatcher[]>> {
  const on = (answer: (input: HookInput) => Promise<HookJSONOutput>): HookCallbackMatcher[] => [
    { hooks: [answer], timeout: HOOK_TIMEOUT_S },
  ];
  return {
    PreToolUse: on(async (input) => {
      if (input.hook_event_name !== "PreToolUse") return {};
      const verdict = await closed(() => hooks.beforeTool(callOf(input)));
      const hookEventName = "PreToolUse" as const;
      if (verdict.isAllowed) {
        const additionalContext = hooks.noteForAgent?.();
        if (additionalContext === undefined) return {};
        return { hookSpecificOutput: { hookEventName, additionalContext } };
      }
      const permissionDecisionReason = verdict.reason;
      return {
        hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason },
      };
    }),
    PostToolUse: [
      {
        matcher: "TaskUpdate",
        hooks: [
          async (input) => {
            if (input.hook_event_name !== "PostToolUse") return {};
            const response = input.tool_response;
            return heard(() => hooks.afterTaskUpdate({ ...callOf(input), response }));
          },
        ],
        timeout: HOOK_TIMEOUT_S,
      },
    ],
    TaskCompleted: on(async (input) => {
      if (input.hook_event_name !== "TaskCompleted") return {};
      const verdict = await closed(() => hooks.beforeCompletion(input.task_id));
      return verdict.isAllowed ? {} : { decision: "block", reason: verdict.reason };
    }),
  };
}

interface ToolHookInput {
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly cwd: string;
}

const callOf = (input: ToolHookInput): ToolCall => ({
  id: input.tool_use_id,
  tool: input.tool_name,
  input: input.tool_input,
  cwd: input.cwd,
});

/** It has happened already: a fault of ours must not be the agent's, and is told to it. */
async function heard(listen: () => void | Promise<void>): Promise<HookJSONOutput> {
  try {
    await listen();
    return {};
  } catch (error) {
    return { systemMessage: `Saga could not record this: ${messageOf(error)}` };
  }
}

/** A fault of ours refuses: what could not be judged must not happen. */
async function closed(judge: () => ScopeVerdict | Promise<ScopeVerdict>): Promise<ScopeVerdict> {
  try {
    return await judge();
  } catch (error) {
    return { isAllowed: false, reason: `Saga could not judge this: ${messageOf(error)}` };
  }
}
