// What follows when the gate has judged an agent's work on a task: its end, or another turn of the same conversation.

import type { TaskGateResult } from "../result/gate.ts";
import { failed, type TaskEnd } from "./outcome.ts";
import { conflictPrompt, fixPrompt } from "./prompt.ts";

/** The agent's turns so far to fix what the gate refused, and to resolve a conflict. */
export interface Rounds {
  readonly fixes: number;
  readonly conflicts: number;
}

export type AfterGate =
  | { readonly end: TaskEnd }
  | { readonly end?: undefined; readonly prompt: string; readonly rounds: Rounds };

interface JudgedTask {
  readonly branch: string;
  readonly target: string;
  readonly fixRounds: number;
  /** What the agent said about it. */
  readonly summary: string;
}

export function afterGate(
  result: Exclude<TaskGateResult, { kind: "checked-out" | "stopped" }>,
  rounds: Rounds,
  { branch, target, fixRounds, summary }: JudgedTask,
): AfterGate {
  switch (result.kind) {
    case "merged":
      return { end: mergedInto(target, result.commit) };
    case "as-is":
      return { end: { kind: "completed", reason: summary, commit: undefined } };
    case "moved":
      return { end: failed(result.why) };
    case "refused": {
      const fixes = rounds.fixes + 1;
      if (fixes > fixRounds) return { end: failed(result.why) };
      return { prompt: fixPrompt(result.agentText), rounds: { ...rounds, fixes } };
    }
    case "conflict": {
      if (rounds.conflicts > 0) return { end: parked(branch, target, result.sides) };
      const next = { ...rounds, conflicts: rounds.conflicts + 1 };
      return { prompt: conflictPrompt(target, result.sides), rounds: next };
    }
  }
}

export const mergedInto = (target: string, commit: string): TaskEnd => ({
  kind: "completed",
  reason: `Merged into ${target} as ${commit.slice(0, 12)}.`,
  commit,
});

const parked = (branch: string, target: string, sides: string): TaskEnd => ({
  kind: "held",
  as: "parked",
  reason: `${branch} conflicts with ${target} again, after its agent resolved a conflict once:\n${sides}`,
});
