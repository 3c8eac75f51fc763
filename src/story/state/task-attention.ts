// What a person can do about a task of the pool. Pure, and without packages.

import type { Attention } from "./attention.ts";

export interface PoolTaskAttentionFacts {
  readonly id: string;
  /** As `tasks/view.ts` derives it. */
  readonly state: string;
  readonly why?: string | undefined;
  /** `why` is a question from the agent. */
  readonly isQuestion?: boolean | undefined;
}

export interface PoolTaskAttention extends Omit<Attention, "kind"> {
  readonly kind: "needs-you" | "broken";
}

/** Undefined for a task that needs no person. */
export function attentionOfPoolTask(facts: PoolTaskAttentionFacts): PoolTaskAttention | undefined {
  const { id, state, why, isQuestion = false } = facts;
  if (state !== "needs-you" && state !== "broken") return undefined;
  const isHeld = state === "needs-you";
  const release = `saga task release ${id}${isQuestion ? ' --answer "…"' : ""}`;
  return {
    section: "needs-you",
    kind: state,
    text: why ?? (isHeld ? "Needs you." : "Its file cannot be read."),
    next: isHeld ? release : `saga task show ${id}`,
  };
}
