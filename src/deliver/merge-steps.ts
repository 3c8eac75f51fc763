// What merging a story and merging an epic have in common: the verdict on the result, and what follows a merge.

import { messageOf } from "../errors.ts";
import type { Forge } from "../machine/forge/forge.ts";
import {
  mergeReadiness,
  reasonsAgainst,
  type Requirements,
} from "../story/receipts/merge-readiness.ts";
import type { Receipt } from "../story/receipts/receipt.ts";

/** Whether the result of a merge may become the target. */
type Verification =
  | { readonly isPassed: true }
  | {
      readonly isPassed: false;
      readonly reason: string;
      readonly receipts: readonly Receipt[];
    };

/**
 * The verdict on a merge result by its receipts and by a person's earlier decision. Testing and review were required of
 * the story's own code before.
 */
export function verificationOf(
  receipts: readonly Receipt[],
  decision: Receipt | undefined,
  required: Pick<Requirements, "checks" | "weakened">,
): Verification {
  const held = decision ? [...receipts, decision] : receipts;
  const all = { ...required, needsTesting: false, needsReview: false };
  const reasons = reasonsAgainst(mergeReadiness(held, all));
  return reasons.length === 0
    ? { isPassed: true }
    : { isPassed: false, reason: reasons.join(" "), receipts };
}

/** After a merge: it is done by now, so a failure of what follows is only a warning. */
export async function attempt(warnings: string[], act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    warnings.push(messageOf(error));
  }
}

export async function markMerged(forge: Forge, branch: string, commit: string): Promise<void> {
  const pull = await forge.find(branch);
  if (pull?.state === "open") await forge.markMerged(pull.number, commit);
}
