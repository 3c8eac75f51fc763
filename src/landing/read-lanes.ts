// Reads the lanes of a project for people.

import type { Context } from "../context.ts";
import { laneLease } from "../store/leases/lease-names.ts";
import type { Lane } from "../story/landing/entry.ts";
import { laneView, type LaneView } from "../story/landing/lane-view.ts";
import { laneId } from "./lane-id.ts";

type LaneReader = Pick<Context, "store" | "settings" | "now">;

export async function readLanes(context: LaneReader): Promise<readonly LaneView[]> {
  const lanes = await context.store.queue.lanes();
  return Promise.all(lanes.map((lane) => readLane(context, lane)));
}

async function readLane({ store, settings, now }: LaneReader, lane: Lane): Promise<LaneView> {
  const { queue, leases } = store;
  const lander = await leases.read(laneLease(laneId(lane)));
  const hasLander = lander?.life === "alive";
  return laneView({
    lane,
    entries: await queue.list(lane),
    hasLander,
    // A killed lander leaves what it did.
    now: hasLander ? await queue.now(lane) : undefined,
    history: await queue.history(lane),
    batchSize: settings.queue.batch,
    nowMs: now(),
  });
}
