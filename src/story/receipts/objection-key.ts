// What makes two objections the same: the rule, the file, and what exactly is found there. Messages, line
// numbers and counts differ between two runs of a gate, and between two versions of Saga.

import { legacyFindingKey, legacySetAside } from "./legacy-objection.ts";
import type { Finding, GateRule } from "./receipt.ts";

export interface ObjectionFacts {
  /** `person`: one has sent it back. */
  readonly rule: GateRule | "person";
  readonly file?: string | undefined;
  /** Which objection of this rule, about this file. */
  readonly key: string;
}

/** As a receipt keeps it. */
export const objectionKey = ({ rule, file, key }: ObjectionFacts): string =>
  JSON.stringify([rule, file ?? "", key]);

/** Whether an objection is among those that a receipt lists as set aside. */
export function setAsideBy(listed: readonly string[] = []): (objection: ObjectionFacts) => boolean {
  const keys: ReadonlySet<string> = new Set(listed);
  const isLegacySetAside = legacySetAside(listed.filter((text) => !text.startsWith("[")));
  return (objection) => keys.has(objectionKey(objection)) || isLegacySetAside(objection);
}

export const factsOf = (finding: Finding): ObjectionFacts => ({
  rule: finding.rule,
  ...(finding.file !== undefined && { file: finding.file }),
  key: finding.key ?? legacyFindingKey(finding),
});
