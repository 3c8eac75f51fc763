import type { AgentResult } from "../run-agent.ts";

interface Sentences {
  readonly late: string;
  /** If there is no other reason. */
  readonly otherwise: string;
}

/** Why a run has no result, as a sentence. */
export function whyNoResult(
  { end: { outcome }, hasTimedOut, stuck }: AgentResult,
  { late, otherwise }: Sentences,
): string {
  if (hasTimedOut) return late;
  switch (outcome.kind) {
    case "ended":
    case "stopped":
      return stuck ?? otherwise;
    case "refused":
      return `${outcome.reason} ${outcome.hint}`;
    default:
      return outcome.reason;
  }
}
