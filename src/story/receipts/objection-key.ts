// The identity of an objection: its rule, its file and a key. Messages, line numbers and counts may differ between two
// runs of a gate and between two versions of Saga.

import { legacyFindingKey, legacySetAside } from "./legacy-objection.ts";
import type { Finding, GateRule } from "./receipt.ts";

export interface ObjectionFacts {
  /** `person`: a person sent the story back. */
  readonly rule: GateRule | "person";
  readonly file?: string | undefined;
  /** Identifies the objection within its rule and file. */
  readonly key: string;
}

/** The form in a receipt's `overridden.objections`. */
export const objectionKey = ({ rule, file, key }: ObjectionFacts): string =>
  JSON.stringify([rule, file ?? "", key]);

/** Whether an objection is in a receipt's `overridden.objections`. */
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
