// An agent run beside the work: it plans, judges or repairs. It completes no tasks and continues no
// conversation, and every tool call is judged first.

import { headlessRun, type HeadlessEnd, type HeadlessRequest } from "../../claude/run.ts";
import type { ToolCall } from "../../claude/sdk-hooks.ts";
import type { Outcome } from "../../claude/outcome.ts";
import type { ScopeVerdict } from "../scope/scope.ts";

export interface SideRequest extends Omit<
  HeadlessRequest,
  "hooks" | "resume" | "moreTools" | "sandbox" | "onAnswer"
> {
  /** For a run with a shell. */
  readonly sandbox?: HeadlessRequest["sandbox"];
  readonly judge: (call: ToolCall) => ScopeVerdict;
  readonly onTool: (call: ToolCall, verdict: ScopeVerdict) => void;
  /** Why it may not complete tasks, for the agent. */
  readonly noCompletion: string;
}

export const sideRun = ({
  judge,
  onTool,
  noCompletion,
  sandbox,
  ...run
}: SideRequest): Promise<HeadlessEnd> =>
  headlessRun({
    ...run,
    hooks: {
      beforeTool(call) {
        const verdict = judge(call);
        onTool(call, verdict);
        return verdict;
      },
      afterTaskUpdate: () => undefined,
      beforeCompletion: () => ({ isAllowed: false, reason: noCompletion }),
    },
    resume: undefined,
    moreTools: [],
    sandbox,
    onAnswer: () => undefined,
  });

/** Why a run has no result, as a sentence; `otherwise` if Claude Code gives no reason. */
export function whyNoResult(outcome: Outcome, otherwise: string): string {
  switch (outcome.kind) {
    case "ended":
    case "stopped":
      return otherwise;
    case "refused":
      return `${outcome.reason} ${outcome.hint}`;
    default:
      return outcome.reason;
  }
}
