// Receipts as text: an entry of the journal, which ends with their data as JSON, and lines of a pull request.

import { count } from "../../text/plural.ts";
import { findingText } from "./finding-text.ts";
import type { Receipt } from "./receipt.ts";

/** The title and body of a journal entry. The output of commands stays in the run's record. */
export function receiptEntry(receipts: readonly Receipt[]): { title: string; body: string } {
  const failed = receipts.filter(({ isPassed }) => !isPassed).length;
  const title =
    failed === 0
      ? `Gate passed: ${count(receipts.length, "check")}`
      : `Gate not passed: ${failed} of ${count(receipts.length, "check")} failed`;
  const data = receipts.map((receipt) => ({ ...receipt, tail: undefined }));
  const body = [
    ...receipts.flatMap((receipt) => [receiptLine(receipt), ...findingLines(receipt)]),
    "",
    "```json",
    ...data.map((receipt) => JSON.stringify(receipt)),
    "```",
  ].join("\n");
  return { title, body };
}

/** The part of an entry's body before its data. */
export const receiptWords = (body: string): string => (body.split(/^```json$/m)[0] ?? "").trimEnd();

export function receiptLine(receipt: Receipt): string {
  const { gate, task, command, isPassed, how, ms, tree, outputHash, overridden } = receipt;
  const what = command === undefined ? NAMES[gate] : `\`${oneLine(command)}\``;
  const facts = [
    how,
    `${(ms / 1000).toFixed(1)} s`,
    `tree ${tree.slice(0, 12)}`,
    outputHash && `output ${outputHash.slice(0, 12)}`,
  ].filter(Boolean);
  const verdict = isPassed ? (overridden ? "overridden" : "passed") : "NOT passed";
  const about = task === undefined ? "" : ` (task ${task})`;
  const why = overridden
    ? `; ${overridden.who} overrode ${overridden.rules.join(", ")}: ${oneLine(overridden.why)}`
    : "";
  return `- ${what}${about}: ${verdict} (${facts.join(", ")})${why}`;
}

const findingLines = ({ findings }: Receipt): string[] =>
  findings.slice(0, MAX_FINDINGS).map((one) => `  - ${one.rule}: ${oneLine(findingText(one))}`);

/** A person does not read more. */
const MAX_FINDINGS = 20;

const NAMES: Readonly<Record<Receipt["gate"], string>> = {
  check: "check",
  diff: "The diff",
  test: "The tester",
  review: "The reviewer",
  person: "A person",
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
