// Puts an entry in its lane and waits for the outcome. Of all processes that wait, the one that gets the lane's lease
// lands for everyone. When it dies, another one continues: no daemon is needed.

import { messageOf, SagaError } from "../errors.ts";
import { laneLease } from "../store/leases/lease-names.ts";
import { waitForLease } from "../store/leases/wait-for-lease.ts";
import type { Entry, Lane, EntryRequest } from "../story/landing/entry.ts";
import { landNextBatch } from "./land-lane.ts";
import { settleLanded } from "./shared-lane.ts";
import { withdraw } from "./withdraw.ts";
import { verifyAhead } from "./verify-ahead.ts";
import { laneId } from "./lane-id.ts";
import type { LaneContext } from "./landing.ts";

export type WaitResult =
  | { readonly kind: "outcome"; readonly value: unknown }
  /**
   * The caller was stopped; the entry is out of the lane again. `isUncertain`: another process was killed while it
   * landed the entry.
   */
  | { readonly kind: "stopped"; readonly isUncertain?: boolean };

/** Twice as long as a lease lasts without a sign of life. */
const MAX_AWAY_MS = 60_000;

/** A dead lander changes no file, so the lane is also looked at in this interval. */
const POLL_MS = 500;

export async function landInLane(context: LaneContext, wanted: EntryRequest): Promise<WaitResult> {
  const { stop } = context;
  const { queue } = context.store;
  const entry = await queue.enqueue(wanted);
  const { lane } = entry;
  const watch = queue.watch(lane);
  let shown: string | undefined;
  const failure = await newFailures();
  try {
    for (;;) {
      try {
        const outcome = await queue.outcome(entry);
        if (outcome) return { kind: "outcome", value: outcome.value };
        const landed = await queue.landed(entry);
        if (landed) await settleLanded(context, entry, landed);
        else if (stop?.aborted) return await leave(entry);
        else if (!(await landOrVerify())) await watch.next(POLL_MS, stop);
        failure.forget();
      } catch (error) {
        await failure.waitOrThrow(error);
      }
    }
  } finally {
    watch.close();
  }

  /** False if there is nothing to do but wait. */
  async function landOrVerify(): Promise<boolean> {
    try {
      if (await landIfFree(context, lane)) return true;
      const isWaiting = async (): Promise<boolean> => (await queue.outcome(entry)) === undefined;
      if (!(await isWaiting())) return true;
      const heldBy = await queue.holder(entry);
      show(waitText(entry, heldBy));
      return await verifyAhead(context, lane, isWaiting);
    } catch (error) {
      if (stop?.aborted) return true;
      throw error;
    }
  }

  /** If another process lands it at this moment, its outcome is the answer. */
  async function leave(own: Entry): Promise<WaitResult> {
    const left = await withdraw(context.store, own, { kind: "stopped" });
    return left ? { kind: "outcome", value: left.value } : { kind: "stopped", isUncertain: true };
  }

  /** In a lane that a fleet shares: its database or the remote may be away for a moment, and the entry is safe there. */
  async function newFailures() {
    const isShared = (await queue.machine(lane)) !== undefined;
    let sinceMs: number | undefined;
    return {
      forget: () => void (sinceMs = undefined),
      async waitOrThrow(error: unknown): Promise<void> {
        sinceMs ??= performance.now();
        if (!isShared) throw error;
        if (stop?.aborted || performance.now() - sinceMs > MAX_AWAY_MS)
          throw stillQueued(entry, error);
        show(`${messageOf(error)} Waiting`);
        await watch.next(POLL_MS, stop);
      },
    };
  }

  function show(about: string): void {
    if (about !== shown) context.onStep?.(about);
    shown = about;
  }
}

const stillQueued = ({ name, lane }: Entry, error: unknown): SagaError =>
  new SagaError(
    "program-failed",
    `${name} waits in the queue of ${lane.branch}. ${messageOf(error)}`,
    {
      hint: `Any machine of the fleet may merge it meanwhile. Repeat the command to see its outcome: \`saga merge ${name}\`.`,
      cause: error,
    },
  );

export const waitText = (
  { kind, name, lane }: Pick<Entry, "kind" | "name" | "lane">,
  heldBy: string | undefined,
): string =>
  heldBy === undefined
    ? `waiting in the queue of ${lane.branch}: \`saga queue\` shows it`
    : `held by ${heldBy}${kind === "task" ? "" : `: \`saga queue release ${name}\` lets it be merged`}`;

/** Lands what is ready in a lane, and returns when nothing more is, or when another process lands there. */
export async function landWaiting(context: LaneContext, lane: Lane): Promise<void> {
  const { queue } = context.store;
  for (const entry of await queue.unsettled(lane)) {
    const landed = await queue.landed(entry);
    if (landed) await settleLanded(context, entry, landed);
  }
  while (!context.stop?.aborted && (await landIfFree(context, lane)));
}

/** False if another process lands, or took the lane over, or if no entry is ready. */
async function landIfFree(context: LaneContext, lane: Lane): Promise<boolean> {
  const waited = await waitForLease(context.store.leases, laneLease(laneId(lane)), {
    owner: "saga merge",
    purpose: "merge",
    maxWaitMs: 0,
    pollMs: POLL_MS,
    stop: context.stop,
  });
  if (waited.kind !== "taken") return false;
  const { lease } = waited;
  const stop = AbortSignal.any([lease.lost, ...(context.stop ? [context.stop] : [])]);
  try {
    return await landNextBatch({ ...context, stop }, lane);
  } catch (error) {
    if (lease.lost.aborted) return false;
    throw error;
  } finally {
    await lease.release();
  }
}
