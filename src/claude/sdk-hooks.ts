// Saga's hooks inside an agent run. One PreToolUse hook covers every tool: if the worker is killed, the hook gets
// no answer any more, and so the agent cannot do anything either.

import type {
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
} from "@anthropic-ai/claude-agent-sdk";
import { messageOf } from "../errors.ts";
import type { AgentHooks, ToolCall } from "../agent/agent.ts";
import type { ScopeVerdict } from "../agent/scope/scope.ts";
import { createdTask, statusChange } from "./tasks/sync.ts";

/** Checks run inside a hook and may take long; the worker has its own time limits. */
const HOOK_TIMEOUT_S = 24 * 3600;

export interface SdkHookOptions {
  /** Whether Claude Code can be told to refuse a call if its hook fails, for example with an answer that it rejects. */
  readonly canBlock: boolean;
}

export function sdkHooks(
  hooks: AgentHooks,
  { canBlock }: SdkHookOptions,
): Partial<Record<HookEvent, HookCallbackMatcher[]>> {
  const on = (
    answer: (input: HookInput) => Promise<HookJSONOutput>,
    more: Partial<HookCallbackMatcher> = {},
  ): HookCallbackMatcher[] => [{ hooks: [answer], timeout: HOOK_TIMEOUT_S, ...more }];
  const judge = async (input: HookInput): Promise<HookJSONOutput> => {
    if (input.hook_event_name !== "PreToolUse") return {};
    const verdict = await refuseOnError(() => hooks.beforeTool(callOf(input)));
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
  };
  return {
    PreToolUse: on(judge, canBlock ? { onFailure: "block" } : {}),
    // The answers of other tools are read from the stream: a hook for each would cost every call a round trip.
    PostToolUse: [
      {
        matcher: "TaskCreate|TaskUpdate",
        hooks: [
          async (input) => {
            if (input.hook_event_name !== "PostToolUse") return {};
            const { tool_name: tool, tool_response: response } = input;
            const created = createdTask(tool, response);
            if (created !== undefined) hooks.afterTaskCreation?.(created);
            const change = statusChange(tool, response);
            return change ? reportError(() => hooks.afterTaskChange(change)) : {};
          },
        ],
        timeout: HOOK_TIMEOUT_S,
      },
    ],
    TaskCompleted: on(async (input) => {
      if (input.hook_event_name !== "TaskCompleted") return {};
      const verdict = await refuseOnError(() => hooks.beforeCompletion(input.task_id));
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

/** The update has already happened: an error of Saga is only reported to the agent. */
async function reportError(act: () => void | Promise<void>): Promise<HookJSONOutput> {
  try {
    await act();
    return {};
  } catch (error) {
    return { systemMessage: `Saga could not record this: ${messageOf(error)}` };
  }
}

/** An error of Saga refuses: a call that could not be judged must not run. */
async function refuseOnError(
  judge: () => ScopeVerdict | Promise<ScopeVerdict>,
): Promise<ScopeVerdict> {
  try {
    return await judge();
  } catch (error) {
    return { isAllowed: false, reason: `Saga could not judge this: ${messageOf(error)}` };
  }
}
