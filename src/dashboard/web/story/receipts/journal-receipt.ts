// Splits a journal entry about gates into text, data, and whether all gates passed. Pure.

import { receiptWords } from "../../../../story/receipts/receipt-text.ts";
import type { JournalCard } from "../../../protocol/details.ts";

export interface ParsedEntry {
  readonly text: string;
  /** One JSON object per line. Undefined if the entry has no data. */
  readonly data?: string;
  /** Undefined for entries that are not about gates. */
  readonly isPassed?: boolean;
}

export function readEntry({ kind, body }: Pick<JournalCard, "kind" | "body">): ParsedEntry {
  if (kind !== "receipt") return { text: body };
  const data = /^```json\n(?<data>[\s\S]*?)\n```$/m.exec(body)?.groups?.["data"];
  // Perhaps written by hand: then the result is unknown.
  if (data === undefined) return { text: body };
  const receipts = data.split("\n").map(receiptIn);
  return { text: receiptWords(body), data, isPassed: receipts.every((one) => one?.isPassed) };
}

function receiptIn(line: string): { readonly isPassed: boolean } | undefined {
  try {
    const { isPassed } = JSON.parse(line) as { readonly isPassed?: unknown };
    return { isPassed: isPassed === true };
  } catch {
    return undefined;
  }
}
