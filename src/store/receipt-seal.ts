// What tells a receipt that Saga wrote from one that some program wrote: a code over all that it says and
// over where it stands, made with the key of this machine. One that is copied to another run or story is
// as good as none.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Receipt } from "../story/receipt.ts";

export interface ReceiptPlace {
  readonly storyId: string;
  readonly runId: string;
}

export const sealOf = (key: Buffer, receipt: Receipt, place: ReceiptPlace): string =>
  createHmac("sha256", key).update(sealedText(receipt, place)).digest("hex");

export function isSealed(
  key: Buffer,
  receipt: Receipt,
  { seal, ...place }: ReceiptPlace & { readonly seal: unknown },
): boolean {
  const [given, right] = [seal, sealOf(key, receipt, place)].map((one) => Buffer.from(String(one)));
  return given?.length === right?.length && given && right ? timingSafeEqual(given, right) : false;
}

/** The same text for the same receipt, in whatever order its fields were written. */
const sealedText = (receipt: Receipt, { storyId, runId }: ReceiptPlace): string =>
  JSON.stringify(ordered({ receipt, runId, storyId }));

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, ordered(field)]));
}
