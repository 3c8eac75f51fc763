import type { Receipt } from "./receipt.ts";

/** The checks whose last run failed, with the end of their output. `receipts`: oldest first. Pure. */
export function failedChecks(receipts: readonly Receipt[]): readonly Receipt[] {
  const last = new Map<string, Receipt>();
  for (const receipt of receipts) {
    if (receipt.command === undefined) continue;
    // In the order of their last run.
    last.delete(receipt.command);
    last.set(receipt.command, receipt);
  }
  return [...last.values()].filter(({ isPassed }) => !isPassed);
}

/** A screen's worth; `--json` has all of it. */
const MAX_LINES = 20;

export function outputEnd({ tail = "" }: Pick<Receipt, "tail">): string {
  const lines = tail.trimEnd().split("\n");
  const more = lines.length - MAX_LINES;
  return more <= 0 ? lines.join("\n") : [`… ${more} lines before`, ...lines.slice(more)].join("\n");
}
