// The seal of a record: an HMAC over its content, story and run, made with this machine's key. It proves that Saga
// wrote the record, and does not fit a copy in another run or story.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Receipt } from "../../story/receipts/receipt.ts";

/** A receipt, the commit that a story was started from, or a person's edit. */
type Sealed =
  | Receipt
  | { readonly start: string }
  | { readonly edit: string; readonly from: string | undefined };

export interface SealPlace {
  readonly storyId: string;
  readonly runId: string;
}

export const sealOf = (key: Buffer, sealed: Sealed, place: SealPlace): string =>
  createHmac("sha256", key).update(sealedText(sealed, place)).digest("hex");

export function isSealed(
  key: Buffer,
  sealed: Sealed,
  { seal, ...place }: SealPlace & { readonly seal: unknown },
): boolean {
  const [given, right] = [seal, sealOf(key, sealed, place)].map((one) => Buffer.from(String(one)));
  return given?.length === right?.length && given && right ? timingSafeEqual(given, right) : false;
}

/** The same text for the same record, whatever the order of its fields. */
const sealedText = (receipt: Sealed, { storyId, runId }: SealPlace): string =>
  JSON.stringify(ordered({ receipt, runId, storyId }));

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, ordered(field)]));
}
