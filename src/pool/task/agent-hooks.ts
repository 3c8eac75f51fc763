// What a pool worker does at each step of its agent: judges every tool call, and records it. Its counterpart
// for stories is `worker/agent/agent-hooks.ts`.

import type { Context } from "../../context.ts";
import { describeAnswer, describeCall } from "../../agent/describe-tool.ts";
import type { CheckIns } from "../../agent/check-in.ts";
import type { AgentHooks, ToolCall } from "../../claude/sdk-hooks.ts";
import type { ToolAnswer } from "../../claude/messages.ts";
import type { Scope, ScopeVerdict } from "../../agent/scope/scope.ts";
import { judgeToolCall } from "../../agent/tool-call.ts";
import { STOPPING } from "../../gate/completion.ts";
import type { RunRecord } from "../../store/runs/run-recorder.ts";
import { judgeTaskCall, SAGA_SETS_IT } from "./judge-task-call.ts";

export interface TaskHookOptions extends Pick<Context, "now" | "stop"> {
  readonly record: RunRecord;
  readonly scope: Scope;
  /** The folder of the list, and the tasks that this run has added to it. */
  readonly list: string;
  readonly made: Set<string>;
  readonly watch: Pick<CheckIns, "called" | "answered">;
  /** The agent has called finish, or asked its question. */
  readonly isOver: () => boolean;
  readonly onTool: () => void;
}

export interface TaskAgentHooks extends AgentHooks {
  readonly onAnswer: (answer: ToolAnswer) => void;
}

export function taskAgentHooks(options: TaskHookOptions): TaskAgentHooks {
  const { record, scope, list, made, watch, now, stop, isOver, onTool } = options;
  const inFlight = new Map<string, { readonly tool: string; readonly fromMs: number }>();
  return {
    async beforeTool(call) {
      const verdict = await judge(call);
      const { id, tool } = call;
      watch.called(id, tool);
      onTool();
      if (verdict.isAllowed) {
        inFlight.set(id, { tool, fromMs: now() });
        record.note({ type: "tool.called", id, tool, about: describeCall(call, scope.worktree) });
      } else {
        watch.answered(id);
        record.note({ type: "tool.refused", id, tool, reason: verdict.reason });
      }
      return verdict;
    },
    onAnswer({ id, isError, response }) {
      const called = inFlight.get(id);
      // A refused call is not in the map.
      if (!called) return;
      inFlight.delete(id);
      watch.answered(id);
      const { tool, fromMs } = called;
      const createdId = tool === "TaskCreate" && !isError ? createdTaskId(response) : undefined;
      if (createdId !== undefined) made.add(createdId);
      const about = describeAnswer({ tool, isError, response });
      record.note({ type: "tool.answered", id, tool, isError, ms: now() - fromMs, about });
    },
    afterTaskUpdate: () => undefined,
    // The agent's own TaskUpdate is already refused; this also covers a subagent's.
    beforeCompletion: () => refuse(SAGA_SETS_IT),
  };

  function judge(call: ToolCall): ScopeVerdict | Promise<ScopeVerdict> {
    if (stop.aborted) return refuse(STOPPING);
    if (isOver()) return refuse("Your answer is recorded. End your turn now.");
    const { tool, input } = call;
    if (tool === "TaskUpdate" || tool === "TaskCreate") {
      return judgeTaskCall({ tool, input }, { list, made });
    }
    return judgeToolCall(scope, call);
  }
}

/** From the answer of TaskCreate. */
function createdTaskId(response: unknown): string | undefined {
  const task: unknown = isObject(response) ? response["task"] : undefined;
  const id = isObject(task) ? task["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const refuse = (reason: string): ScopeVerdict => ({ isAllowed: false, reason });
