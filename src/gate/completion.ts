// What must hold before a task counts as completed, and the message for its agent if it does not.

import { ifStopped } from "../errors.ts";
import { STOPPING } from "../story/prompts/stopping.ts";
import type { CheckPlace, CheckResult } from "./checks.ts";

export const orderRefusal = (first: readonly string[]): string | undefined =>
  first.length === 0 ? undefined : `${first.join(", ")} must be completed first.`;

export async function checksRefusal(
  checks: readonly string[],
  place: CheckPlace,
  onResults?: (results: readonly CheckResult[]) => void,
): Promise<string | undefined> {
  if (checks.length === 0) return undefined;
  // Loaded late, so that a hook script without checks starts fast.
  const { runChecks } = await import("./checks.ts");
  const results = await runChecks(checks, place).catch(ifStopped);
  // A stopped check says nothing about the work.
  if (results === undefined) return STOPPING;
  onResults?.(results);
  const failed = results.find((result) => !result.isPassed);
  if (!failed) return undefined;
  const output = failed.tail === "" ? ", and printed nothing." : `:\n${failed.tail}`;
  return `The check \`${failed.command}\` failed (${failed.how})${output}`;
}
