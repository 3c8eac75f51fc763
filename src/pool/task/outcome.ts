// How a task can end, and how an agent's last run ends it.

import type { Outcome } from "../../agent/agent.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import type { TaskAgentResult } from "./run-agent.ts";
import type { PreparedTaskWork } from "./context.ts";

export type TaskEnd =
  /** `commit` is undefined if nothing had to be changed. */
  | { readonly kind: "completed"; readonly reason: string; readonly commit: string | undefined }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "held"; readonly as: "blocker" | "parked"; readonly reason: string }
  | {
      readonly kind: "returned";
      readonly reason: string;
      /** The commit of finished work that is not merged yet. */
      readonly finished?: string | undefined;
      /** Set if no other task would do better either. */
      readonly problem?: PoolProblem | undefined;
    };

export type Returned = Extract<TaskEnd, { kind: "returned" }>;

export const returnedWithProblem = (problem: PoolProblem): Returned => ({
  kind: "returned",
  reason: problem.message,
  problem,
});

export const failed = (reason: string): TaskEnd => ({ kind: "failed", reason });

export const STOPPED: Returned = { kind: "returned", reason: "Stopped." };

/** Undefined if there is finished work to accept. */
export function endOf(work: PreparedTaskWork, turn: TaskAgentResult): TaskEnd | undefined {
  const { question, finish, lastWords } = turn;
  if (question !== undefined) {
    const reason = [question.title, question.body]
      .filter((part) => part.trim() !== "")
      .join("\n\n");
    return { kind: "held", as: "blocker", reason };
  }
  // However the run ended after that, its work is finished.
  if (finish !== undefined) return work.worker.stop.aborted ? STOPPED : undefined;
  return endOfUnfinished(work, turn, turn.end.outcome, lastWords);
}

function endOfUnfinished(
  { worker, request }: PreparedTaskWork,
  { stuck, hasTimedOut }: TaskAgentResult,
  outcome: Outcome,
  lastWords: string,
): TaskEnd {
  switch (outcome.kind) {
    case "ended":
      if (lastWords === "")
        return failed("The agent ended without finishing the task, and said nothing.");
      return {
        kind: "held",
        as: "blocker",
        reason: `The agent ended without finishing the task. It said: ${lastWords}`,
      };
    case "stopped":
      if (worker.stop.aborted) return STOPPED;
      if (stuck !== undefined) return failed(stuck);
      if (hasTimedOut) return failed(`Time limit reached (${worker.settings.run.maxMinutes} min).`);
      return STOPPED;
    case "over-budget":
      // Another attempt would reach the task's own limit too, but not the day's budget of another day.
      if (outcome.isShared) return { kind: "returned", reason: outcome.reason };
      return request.sharedReason === undefined
        ? failed(outcome.reason)
        : { kind: "returned", reason: request.sharedReason };
    case "crashed":
      return failed(outcome.reason);
    case "limit":
      return { kind: "returned", reason: outcome.reason };
    case "refused": {
      const message = `${outcome.reason} ${outcome.hint}`;
      return returnedWithProblem({ kind: "crashed", message, needsPerson: true });
    }
  }
}
