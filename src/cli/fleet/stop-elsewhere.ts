// Stops a worker on another machine of the fleet: through the database, because no signal reaches it.

import { SagaError } from "../../errors.ts";
import { waitUntil } from "../../machine/processes/timer.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import { openFleetOf } from "./open-fleet.ts";
import type { Context } from "../../context.ts";

/** A worker looks every 2 s, and may take 20 s to end its agent. */
const MAX_WAIT_MS = 60_000;
const POLL_MS = 500;

type StopPlace = Pick<Context, "store" | "env">;

/** False if the owner is on this machine, or if there is no fleet. */
export const stopElsewhere = (place: StopPlace, storyId: string): Promise<boolean> =>
  endElsewhere(place, storyId);

/** A budget is spent: the worker there ends in order, which takes some minutes. Does not wait for it. */
export const drainElsewhere = (
  place: StopPlace,
  storyId: string,
  spentBudgetUsd: number,
): Promise<boolean> => endElsewhere(place, storyId, spentBudgetUsd);

async function endElsewhere(
  { store, env }: StopPlace,
  storyId: string,
  spentBudgetUsd?: number,
): Promise<boolean> {
  const lease = await store.leases.read(storyLease(storyId));
  const machine = lease?.record.machine;
  if (lease?.life !== "alive" || machine === undefined) return false;
  const fleet = await openFleetOf({ project: store.project, env }, await store.settings());
  try {
    if (machine === fleet.machine) return false;
    const { fence } = lease;
    await fleet.stopRequests.request({ story: storyId, fence, by: fleet.machine, spentBudgetUsd });
    if (spentBudgetUsd !== undefined) return true;
    const isGone = async (): Promise<boolean> => {
      const now = await fleet.leases.read(storyLease(storyId));
      return now?.fence !== fence || now.life === "dead";
    };
    if (await waitUntil(isGone, { maxMs: MAX_WAIT_MS, pollMs: POLL_MS })) return true;
  } finally {
    await fleet.close();
  }
  throw new SagaError("program-failed", `${storyId} has not stopped on ${machine} yet.`, {
    hint: "It stops as soon as that machine reaches the database. `saga fleet status` shows it.",
  });
}
