// How a task can end, and what an agent's last turn makes of it.

import type { Outcome } from "../../claude/outcome.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import type { TaskAgentResult } from "./run-agent.ts";
import type { PreparedTaskWork } from "./context.ts";

export type TaskEnd =
  /** Without a commit when nothing had to be changed. */
  | { readonly kind: "completed"; readonly reason: string; readonly commit: string | undefined }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "held"; readonly as: "blocker" | "parked"; readonly reason: string }
  | {
      readonly kind: "returned";
      readonly reason: string;
      /** The commit of work that is done and has not arrived. */
      readonly finished?: string | undefined;
      /** Why no other task would fare better. */
      readonly problem?: PoolProblem | undefined;
    };

export type Returned = Extract<TaskEnd, { kind: "returned" }>;

export const cannotGoOn = (problem: PoolProblem): Returned => ({
  kind: "returned",
  reason: problem.message,
  problem,
});

export const failed = (reason: string): TaskEnd => ({ kind: "failed", reason });

export const STOPPED: Returned = { kind: "returned", reason: "It was stopped." };

/** Nothing when there is work to be accepted. */
export function endOf(work: PreparedTaskWork, turn: TaskAgentResult): TaskEnd | undefined {
  const { question, finish, lastWords } = turn;
  if (question !== undefined) {
    const reason = [question.title, question.body]
      .filter((part) => part.trim() !== "")
      .join("\n\n");
    return { kind: "held", as: "blocker", reason };
  }
  // Whatever happened on its way out, its work is handed in.
  if (finish !== undefined) return work.worker.stop.aborted ? STOPPED : undefined;
  return endOfUnfinished(work, turn, turn.end.outcome, lastWords);
}

function endOfUnfinished(
  { worker }: PreparedTaskWork,
  { stuck, hasTimedOut }: TaskAgentResult,
  outcome: Outcome,
  lastWords: string,
): TaskEnd {
  switch (outcome.kind) {
    case "ended":
      if (lastWords === "") return failed("The agent ended without finishing, and said nothing.");
      return {
        kind: "held",
        as: "blocker",
        reason: `The agent ended without finishing: ${lastWords}`,
      };
    case "stopped":
      if (worker.stop.aborted) return STOPPED;
      if (stuck !== undefined) return failed(stuck);
      if (hasTimedOut) return failed(`${worker.settings.run.maxMinutes} minutes were not enough.`);
      return STOPPED;
    case "over-budget":
    case "crashed":
      return failed(outcome.reason);
    case "limit":
      return { kind: "returned", reason: outcome.reason };
    case "refused": {
      const message = `${outcome.reason} ${outcome.hint}`;
      return cannotGoOn({ kind: "crashed", message, needsPerson: true });
    }
  }
}
