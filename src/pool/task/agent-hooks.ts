// What a worker of the pool does at each step of its agent: judges every tool call, and notes it.

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
  /** The folder of the list, and the tasks that this run has made in it. */
  readonly list: string;
  readonly made: Set<string>;
  readonly watch: Pick<CheckIns, "called" | "answered">;
  /** It has handed its work in, or asked its question. */
  readonly isOver: () => boolean;
  readonly onTool: () => void;
}

export interface TaskAgentHooks extends AgentHooks {
  readonly onAnswer: (answer: ToolAnswer) => void;
}

export function taskAgentHooks(given: TaskHookOptions): TaskAgentHooks {
  const { record, scope, list, made, watch, now, stop, isOver, onTool } = given;
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
      // One that was refused was no call.
      if (!called) return;
      inFlight.delete(id);
      watch.answered(id);
      const { tool, fromMs } = called;
      const madeId = tool === "TaskCreate" && !isError ? madeIn(response) : undefined;
      if (madeId !== undefined) made.add(madeId);
      const about = describeAnswer({ tool, isError, response });
      record.note({ type: "tool.answered", id, tool, isError, ms: now() - fromMs, about });
    },
    afterTaskUpdate: () => undefined,
    // The call before was refused already; a subagent's way round it is not.
    beforeCompletion: () => refuse(SAGA_SETS_IT),
  };

  function judge(call: ToolCall): ScopeVerdict | Promise<ScopeVerdict> {
    if (stop.aborted) return refuse(STOPPING);
    if (isOver()) return refuse("All is said. End your turn now.");
    const { tool, input } = call;
    if (tool === "TaskUpdate" || tool === "TaskCreate") {
      return judgeTaskCall({ tool, input }, { list, made });
    }
    return judgeToolCall(scope, call);
  }
}

/** Of what TaskCreate answers. */
function madeIn(response: unknown): string | undefined {
  const task: unknown = isObject(response) ? response["task"] : undefined;
  const id = isObject(task) ? task["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const refuse = (reason: string): ScopeVerdict => ({ isAllowed: false, reason });
