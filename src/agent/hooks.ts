// The hooks of every agent run, for all employers: each tool call is judged, counted and recorded.

import type { RunRecord } from "../story/state/run-record.ts";
import { STOPPING } from "../story/prompts/stopping.ts";
import type { AgentHooks, ToolAnswer, ToolCall } from "./agent.ts";
import type { CheckIns } from "./check-in.ts";
import { describeAnswer, describeCall } from "./describe-tool.ts";
import type { JobHooks } from "./job.ts";
import type { ScopeVerdict } from "./scope/scope.ts";

interface Observed {
  readonly folder: string;
  readonly record: Pick<RunRecord, "note">;
  readonly now: () => number;
  readonly checkIns: Pick<CheckIns, "called" | "answered">;
  readonly signal: AbortSignal;
  /** The sentence after the agent's final answer. */
  readonly finalSentence: () => string | undefined;
}

export interface ObservedHooks extends AgentHooks {
  readonly onAnswer: (answer: ToolAnswer) => void;
  /** Resolves when all that the agent caused is written. */
  readonly settled: () => Promise<void>;
}

export function observedHooks(job: JobHooks, run: Observed): ObservedHooks {
  const { record, now, checkIns } = run;
  const { tasks } = job;
  const inFlight = new Map<string, { readonly call: ToolCall; readonly fromMs: number }>();
  const inSequence = newQueue();
  return {
    noteForAgent: job.noteForAgent,
    settled: () => inSequence(async () => undefined),

    async beforeTool(call) {
      const verdict = await judge(call);
      const { id, tool } = call;
      checkIns.called(id, tool);
      if (verdict.isAllowed) {
        inFlight.set(id, { call, fromMs: now() });
        record.note({ type: "tool.called", id, tool, about: describeCall(call, run.folder) });
      } else {
        checkIns.answered(id);
        record.note({ type: "tool.refused", id, tool, reason: verdict.reason });
      }
      job.onCall?.(call, verdict);
      return verdict;
    },

    onAnswer(answer) {
      const { id, isError, response } = answer;
      const called = inFlight.get(id);
      // A refused call is not in the map.
      if (!called) return;
      inFlight.delete(id);
      checkIns.answered(id);
      const { call, fromMs } = called;
      const { tool } = call;
      const about = describeAnswer({ tool, isError, response });
      record.note({ type: "tool.answered", id, tool, isError, ms: now() - fromMs, about });
      job.onAnswer?.(call, answer);
    },

    beforeCompletion: (taskId) =>
      typeof tasks === "string" ? refuse(tasks) : inSequence(() => tasks.mayComplete(taskId)),

    // Updates of one turn arrive together, but are written and committed one after the other.
    afterTaskChange: (change) =>
      typeof tasks === "string" ? undefined : inSequence(() => tasks.onChange(change)),
    afterTaskCreation: job.onTaskCreated,
  };

  function judge(call: ToolCall): ScopeVerdict | Promise<ScopeVerdict> {
    if (run.signal.aborted) return refuse(STOPPING);
    const sentence = run.finalSentence();
    return sentence === undefined ? job.judge(call) : refuse(sentence);
  }
}

const refuse = (reason: string): ScopeVerdict => ({ isAllowed: false, reason });

/** Runs actions one after the other. An action that fails does not affect the next. */
function newQueue(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  };
}
