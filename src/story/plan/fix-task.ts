// The task that an agent gets when the gate refused its work.

import { findingText } from "../receipts/finding-text.ts";
import { brokenRules, type GateFacts } from "../prompts/gate-rules.ts";
import type { Receipt } from "../receipts/receipt.ts";

export interface FixTask {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly doneWhen: string;
  readonly checks: readonly string[];
  /** Empty: it may write whatever the story may. */
  readonly writeFiles: readonly string[];
}

/** The task in which an agent resolves a conflict between its story and the target. */
export const CONFLICT_TASK = "resolve-conflict";

/** The task in which an agent fixes what fails together with its target. */
export const LANDING_TASK = "fix-landing";

/** A committed secret stays in the history, and an agent may not decide what its story asks for. */
const FOR_A_PERSON: ReadonlySet<string> = new Set(["secret", "definition"]);

/** Undefined when an agent cannot fix it. The description repeats the rules that were broken. */
export function fixTask(
  receipts: readonly Receipt[],
  usedIds: ReadonlySet<string>,
  gate?: GateFacts,
): FixTask | undefined {
  const failed = receipts.filter(({ isPassed }) => !isPassed);
  const findings = failed.flatMap((receipt) => receipt.findings);
  // A tester without a verdict names nothing to fix.
  const isClear = failed.every(
    (receipt) => receipt.command !== undefined || receipt.findings.length > 0,
  );
  if (failed.length === 0 || !isClear) return undefined;
  if (findings.some(({ rule }) => FOR_A_PERSON.has(rule))) return undefined;
  const checks = failed.flatMap(({ command }) => (command === undefined ? [] : [command]));
  return {
    id: freeId("fix", usedIds),
    subject: "Fix what the gate refused",
    description: [
      "All tasks are completed, but the story as a whole does not pass its gate. On a clean checkout of the committed work:",
      refusedText(failed),
      gate && brokenRules(gate, new Set(findings.map(({ rule }) => rule))),
      "Fix the cause. Restore files that may not be changed. Do not weaken a check, and do not change protected files.",
    ]
      .filter((part) => part !== undefined)
      .join("\n\n"),
    doneWhen: "The gate no longer refuses any of the above.",
    checks,
    writeFiles: [],
  };
}

/** The failed receipts, for the agent that fixes them. */
export const refusedText = (receipts: readonly Receipt[]): string =>
  receipts
    .filter(({ isPassed }) => !isPassed)
    .map(describe)
    .join("\n\n");

function describe(receipt: Receipt): string {
  if (receipt.command !== undefined) {
    return `The check \`${receipt.command}\` failed (${receipt.how}):\n${receipt.tail ?? ""}`;
  }
  return receipt.findings.map((one) => `- ${one.rule}: ${findingText(one)}`).join("\n");
}

/** `fix`, `fix-2`, `fix-3`. */
export function freeId(wanted: string, usedIds: ReadonlySet<string>): string {
  if (!usedIds.has(wanted)) return wanted;
  for (let number = 2; ; number++) {
    if (!usedIds.has(`${wanted}-${number}`)) return `${wanted}-${number}`;
  }
}
