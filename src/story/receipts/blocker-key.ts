// The identity of a blocker: its rule, its file and a key. Messages, line numbers and counts may differ between two
// runs of a gate and between two versions of Saga.

import type { Finding, GateRule } from "./receipt.ts";

export interface BlockerFacts {
  /** `person`: a person sent the story back. */
  readonly rule: GateRule | "person";
  readonly file?: string | undefined;
  /** Identifies the blocker within its rule and file. */
  readonly key: string;
}

/** The form in a receipt's `overridden.objections`. */
export const blockerKey = ({ rule, file, key }: BlockerFacts): string =>
  JSON.stringify([rule, file ?? "", key]);

/** Whether a blocker is in a receipt's `overridden.objections`. */
export function setAsideBy(listed: readonly string[] = []): (blocker: BlockerFacts) => boolean {
  const keys: ReadonlySet<string> = new Set(listed);
  return (blocker) => keys.has(blockerKey(blocker));
}

export const factsOf = (finding: Finding): BlockerFacts => ({
  rule: finding.rule,
  ...(finding.file !== undefined && { file: finding.file }),
  key: finding.key ?? finding.message,
});
