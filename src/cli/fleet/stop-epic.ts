// `saga epic stop` in a fleet: no machine takes another story of the epic. What runs continues.

import type { Context } from "../../context.ts";
import { unshareEpic } from "../../repo/sharing/shared-epics.ts";
import { openFleetOf } from "./open-fleet.ts";

export interface StoppedOnFleet {
  /** Stories that were taken out of the queue. */
  readonly stopped: readonly string[];
  /** Stories that machines work on. */
  readonly running: readonly string[];
}

/** Undefined outside of a fleet. Repeating it changes nothing. */
export async function stopEpicOnFleet(
  { store, env }: Pick<Context, "store" | "env">,
  epicId: string,
): Promise<StoppedOnFleet | undefined> {
  const settings = await store.settings();
  if (settings.fleet.name === undefined) return undefined;
  const fleet = await openFleetOf({ project: store.project, env }, settings);
  const jobs = await fleet.openJobs();
  try {
    const stopped = await jobs.stop(epicId);
    // Otherwise a sync would queue it again.
    await unshareEpic(fleet.repository, epicId);
    const all = await jobs.list();
    const running = all.filter(({ epic, state }) => epic === epicId && state === "active");
    return { stopped, running: running.map(({ story }) => story) };
  } finally {
    await jobs.close();
    await fleet.close();
  }
}
