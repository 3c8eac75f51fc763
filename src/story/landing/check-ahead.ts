// Verifying ahead: while the lander verifies a batch, another process that waits verifies the next one on top of it. What
// passes is kept as a receipt of its tree. The lander uses it only if the batch before landed exactly as it was assumed:
// otherwise the next candidate is another tree. Pure.

import * as z from "zod";
import type { Entry } from "./entry.ts";
import type { LandedBatch, LandingNow } from "./history.ts";
import { nextBatch } from "./next-batch.ts";

/** A batch that a process verifies, or has verified, before its turn. */
export const aheadSchema = z.object({
  /** From 1. `queue.parallel` bounds how many there are. */
  slot: z.int().min(1),
  /** The candidate that must land first, as it is. */
  onto: z.string(),
  /** The last candidate of this batch. */
  tip: z.string(),
  entries: z.array(z.string()),
  startedAt: z.iso.datetime(),
  /** Missing while its checks run. */
  isPassed: z.boolean().optional(),
});
export type Ahead = z.infer<typeof aheadSchema>;

export interface AheadFacts {
  /** What the lander does. Undefined if no process lands. */
  readonly now: LandingNow | undefined;
  readonly lastBatch: Pick<LandedBatch, "to"> | undefined;
  /** Those whose process lives, and those that have a result. */
  readonly aheads: readonly Ahead[];
}

export interface AheadPlan<E> {
  readonly onto: string;
  readonly batch: readonly E[];
}

/** What can be verified next. Undefined if nothing can, or if it is not known to be useful. */
export function planAhead<E extends Entry>(
  { now, aheads }: AheadFacts,
  entries: readonly E[],
  batchSize: number,
): AheadPlan<E> | undefined {
  if (now?.tip === undefined || now.isRed) return undefined;
  let onto = now.tip;
  const done = new Set(now.inTip);
  for (;;) {
    const next = aheads.find((one) => one.onto === onto);
    if (next === undefined) break;
    // Nothing lands on top of what failed, and it would fail again.
    if (next.isPassed === false) return undefined;
    onto = next.tip;
    for (const name of next.entries) done.add(name);
  }
  const left = entries.filter(({ name }) => !done.has(name));
  const { batch } = nextBatch(left, batchSize);
  return batch.length === 0 ? undefined : { onto, batch };
}

/** How many may run beside the lander, which runs no checks while it waits for one of them. */
export function slotsFor({ now, aheads }: Pick<AheadFacts, "now" | "aheads">, parallel: number) {
  const isWaiting = aheads.some(({ tip, isPassed }) => isPassed === undefined && tip === now?.tip);
  return isWaiting ? parallel : parallel - 1;
}

/** Whether the batch can still land as it is verified. */
export function isUseful(
  ahead: Pick<Ahead, "onto" | "tip">,
  { now, lastBatch, aheads }: AheadFacts,
): boolean {
  // The lander has composed the same batch, and waits for the result.
  if (now?.tip === ahead.tip) return true;
  if (now?.tip === ahead.onto) return now.isRed !== true;
  const before = aheads.find(({ tip }) => tip === ahead.onto);
  if (before !== undefined && before.isPassed !== false) {
    return isUseful(before, { now, lastBatch, aheads: aheads.filter((one) => one !== before) });
  }
  // The batch below it has landed, and no other batch is composed yet.
  return now?.tip === undefined && lastBatch?.to === ahead.onto;
}

/** The lander takes the batch that was verified ahead, not a larger one whose checks would have to run again. */
export function alignWithAhead<E extends Pick<Entry, "name">>(
  batch: readonly E[],
  { lastBatch, aheads }: Pick<AheadFacts, "lastBatch" | "aheads">,
): readonly E[] {
  const ahead = aheads.find(({ onto, isPassed }) => onto === lastBatch?.to && isPassed !== false);
  const isStart = ahead?.entries.every((name, at) => batch[at]?.name === name);
  return ahead && isStart ? batch.slice(0, ahead.entries.length) : batch;
}
