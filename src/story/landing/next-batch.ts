// Which entries of a lane land together next. Pure.

import type { Entry } from "./entry.ts";

type Queued = Pick<Entry, "id" | "name" | "priority" | "after" | "heldBy">;

export interface NextBatch<E extends Queued> {
  readonly batch: readonly E[];
  readonly waiting: readonly WaitingEntry<E>[];
}

export interface WaitingEntry<E extends Queued> {
  readonly entry: E;
  readonly reason: WaitReason;
}

export type WaitReason =
  | { readonly kind: "held"; readonly by: string }
  | { readonly kind: "after"; readonly names: readonly string[] }
  | { readonly kind: "batch-full" };

/** By priority, then by arrival; never before an entry that it comes after. */
export function nextBatch<E extends Queued>(entries: readonly E[], size: number): NextBatch<E> {
  const inLane = new Set(entries.map(({ name }) => name));
  const left = entries.filter(({ heldBy }) => heldBy === undefined).toSorted(byOrder);
  const batch: E[] = [];
  const chosen = new Set<string>();
  for (;;) {
    const at = left.findIndex((one) => openBefore(one).length === 0);
    const [next] = at < 0 || batch.length >= size ? [] : left.splice(at, 1);
    if (next === undefined) break;
    batch.push(next);
    chosen.add(next.name);
  }
  const waiting = entries
    .filter((one) => !batch.includes(one))
    .toSorted(byOrder)
    .map((entry) => ({ entry, reason: reasonOf(entry) }));
  return { batch, waiting };

  function openBefore({ after, name }: E): string[] {
    return after.filter((other) => other !== name && inLane.has(other) && !chosen.has(other));
  }

  function reasonOf(entry: E): WaitReason {
    if (entry.heldBy !== undefined) return { kind: "held", by: entry.heldBy };
    const names = openBefore(entry);
    return names.length === 0 ? { kind: "batch-full" } : { kind: "after", names };
  }
}

const byOrder = (one: Queued, other: Queued): number =>
  one.priority - other.priority || (one.id < other.id ? -1 : 1);
