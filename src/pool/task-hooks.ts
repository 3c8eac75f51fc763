// What a worker of the pool does at each step of its agent: judges every tool call, and notes it.

import { aboutAnswer, aboutCall } from "../claude/about-tool.ts";
import type { Watch } from "../claude/check-in.ts";
import type { AgentHooks, ToolCall } from "../claude/hooks.ts";
import type { ToolAnswer } from "../claude/messages.ts";
import type { Scope, Verdict } from "../claude/scope.ts";
import { judgeToolCall } from "../claude/tool-call.ts";
import { STOPPING } from "../gate/completion.ts";
import type { RunRecord } from "../store/run-record.ts";

export interface TaskHooks {
  readonly record: RunRecord;
  readonly scope: Scope;
  readonly watch: Pick<Watch, "called" | "answered">;
  readonly now: () => number;
  readonly stop: AbortSignal;
  /** It has handed its work in, or asked its question. */
  readonly isOver: () => boolean;
  readonly onTool: () => void;
}

export interface TaskListener extends AgentHooks {
  readonly onAnswer: (answer: ToolAnswer) => void;
}

export function taskHooks(given: TaskHooks): TaskListener {
  const { record, scope, watch, now, stop, isOver, onTool } = given;
  const inFlight = new Map<string, { readonly tool: string; readonly fromMs: number }>();
  return {
    beforeTool(call) {
      const verdict = judge(call);
      const { id, tool } = call;
      watch.called(id, tool);
      onTool();
      if (verdict.isAllowed) {
        inFlight.set(id, { tool, fromMs: now() });
        record.note({ type: "tool.called", id, tool, about: aboutCall(call, scope.worktree) });
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
      const about = aboutAnswer({ tool, isError, response });
      record.note({ type: "tool.answered", id, tool, isError, ms: now() - fromMs, about });
    },
    afterTaskUpdate: () => undefined,
    // The call before was refused already; a subagent's way round it is not.
    beforeCompletion: () => refuse(SAGA_SETS_IT),
  };

  function judge(call: ToolCall): Verdict {
    if (stop.aborted) return refuse(STOPPING);
    if (isOver()) return refuse("All is said. End your turn now.");
    if (call.tool === "TaskUpdate" || call.tool === "TaskCreate")
      return judgeTaskFields(call.input);
    return judgeToolCall(scope, call);
  }
}

const SAGA_SETS_IT = "Saga sets the status when the work is merged: call finish.";

/** What decides who works on a task, and whether it counts, is not the agent's to say. */
export function judgeTaskFields(input: unknown): Verdict {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Fields;
  if (fields["status"] !== undefined || fields["owner"] !== undefined) return refuse(SAGA_SETS_IT);
  const metadata = fields["metadata"];
  const isMarked = typeof metadata === "object" && metadata !== null && "saga" in metadata;
  return isMarked
    ? refuse("`saga` in a task's metadata is Saga's own. Leave it out.")
    : { isAllowed: true };
}

interface Fields {
  readonly [name: string]: unknown;
}

const refuse = (reason: string): Verdict => ({ isAllowed: false, reason });
