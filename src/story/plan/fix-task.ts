// What a gate refuses, as a task for the agent that made it.

import { findingText } from "../receipts/finding-text.ts";
import { brokenRules, type GateFacts } from "../prompts/gate-rules.ts";
import type { Receipt } from "../receipts/receipt.ts";

export interface FixTask {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly doneWhen: string;
  readonly checks: readonly string[];
  /** None of its own: it may write what the story may. */
  readonly writeFiles: readonly string[];
}

/** The task in which an agent resolves what its story and the target both changed. */
export const CONFLICT_TASK = "resolve-conflict";

/**
 * A secret that is committed stays in the history, whatever is done on top; and what a story asks for is
 * not its agent's to say.
 */
const FOR_A_PERSON: ReadonlySet<string> = new Set(["secret", "definition"]);

/** Undefined when an agent could fix none of it. The rules are told again, those that were broken. */
export function fixTask(
  receipts: readonly Receipt[],
  taken: ReadonlySet<string>,
  gate?: GateFacts,
): FixTask | undefined {
  const failed = receipts.filter(({ isPassed }) => !isPassed);
  const findings = failed.flatMap((receipt) => receipt.findings);
  // A tester that gave no verdict has left nothing to fix.
  const isClear = failed.every(
    ({ command, findings: own }) => command !== undefined || own.length > 0,
  );
  if (failed.length === 0 || !isClear) return undefined;
  if (findings.some(({ rule }) => FOR_A_PERSON.has(rule))) return undefined;
  const checks = failed.flatMap(({ command }) => (command === undefined ? [] : [command]));
  return {
    id: freeId("fix", taken),
    subject: "Fix what the gate refused",
    description: [
      "All tasks are completed, but the story as a whole does not pass its gate. On a clean checkout of what is committed:",
      refusedText(failed),
      gate && brokenRules(gate, new Set(findings.map(({ rule }) => rule))),
      "Fix the cause. Put a file that may not be changed back to what it was. Do not weaken a check, and do not change protected files.",
    ]
      .filter((part) => part !== undefined)
      .join("\n\n"),
    doneWhen: "The gate refuses none of the above any more.",
    checks,
    writeFiles: [],
  };
}

/** What was not passed, for the agent that fixes it. */
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
export function freeId(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number++) {
    if (!taken.has(`${wanted}-${number}`)) return `${wanted}-${number}`;
  }
}
