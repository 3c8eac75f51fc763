// What a person can do about a task of the pool. Pure, and without packages.

import type { Attention } from "./attention.ts";

export interface PoolTaskAttentionFacts {
  readonly id: string;
  /** As `tasks/view.ts` derives it. */
  readonly state: string;
  readonly why?: string | undefined;
}

export interface PoolTaskAttention extends Omit<Attention, "kind"> {
  readonly kind: "needs-you" | "broken";
}

/** Undefined for a task that needs no person. */
export function attentionOfPoolTask(facts: PoolTaskAttentionFacts): PoolTaskAttention | undefined {
  const { id, state, why } = facts;
  if (state !== "needs-you" && state !== "broken") return undefined;
  const isAsking = state === "needs-you";
  return {
    section: "needs-you",
    kind: state,
    text: why ?? (isAsking ? "Needs you." : "Its file cannot be read."),
    next: isAsking ? `saga task release ${id} --answer "…"` : `saga task show ${id}`,
  };
}
