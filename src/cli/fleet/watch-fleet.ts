// The fleet as the dashboard shows it. The connection stays open between reads, and is opened again after an error.

import { messageOf } from "../../errors.ts";
import type { FleetCard } from "../../dashboard/protocol/fleet.ts";
import type { Jobs } from "../../fleet/engine/jobs.ts";
import type { Fleet } from "../../fleet/fleet.ts";
import type { ElsewhereLook } from "../../fleet/view/read-other-machines.ts";
import type { FleetView } from "../../fleet/view/read-fleet.ts";
import { loadSettings } from "../../store/project/config.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { Store } from "../../store/store.ts";
import { openFollowingLook } from "./follow-discards.ts";
import { openFleetOf, type ProjectPlace } from "./open-fleet.ts";

export interface FleetWatch {
  /** Undefined for a project that is not in a fleet. With an error it is the last card, and says why. */
  readonly read: () => Promise<FleetCard | undefined>;
  readonly close: () => Promise<void>;
}

interface Connection {
  readonly fleet: Fleet;
  readonly jobs: Jobs;
  readonly elsewhere: ElsewhereLook;
}

export function watchFleet(place: ProjectPlace, store: Store): FleetWatch {
  let connection: Connection | undefined;
  let last: FleetCard | undefined;
  let lookProblem: string | undefined;
  let followProblem: string | undefined;
  let looking: Promise<void> | undefined;
  /** In the background: a remote may be slow, and the page shows what changes as it arrives. */
  const look = (elsewhere: ElsewhereLook): void => {
    if (looking === undefined) followProblem = undefined;
    looking ??= elsewhere
      .lookIfChanged()
      .then(
        () => (lookProblem = followProblem),
        (error: unknown) => (lookProblem = messageOf(error)),
      )
      .then(() => (looking = undefined));
  };
  const close = async (): Promise<void> => {
    const open = connection;
    connection = undefined;
    await looking;
    await open?.jobs.close().catch(() => undefined);
    await open?.fleet.close().catch(() => undefined);
  };
  return {
    async read() {
      const { settings } = loadSettings(layoutOf(place.project));
      const { name } = settings.fleet;
      if (name === undefined) {
        await close();
        last = undefined;
        return undefined;
      }
      try {
        connection ??= await connect(place, name, store, (sentence) => (followProblem = sentence));
        const { fleet, jobs, elsewhere } = connection;
        look(elsewhere);
        const { fleetView } = await import("../../fleet/view/read-fleet.ts");
        const facts = {
          machines: await fleet.machines.list(),
          jobs: await jobs.list(),
          leases: await fleet.leases.list(),
          costs: await fleet.records.costs(),
        };
        last = cardOf(fleetView(fleet, facts));
        return lookProblem === undefined ? last : { ...last, problem: lookProblem };
      } catch (error) {
        await close();
        const known = last ?? { name, machine: "", machines: [], stories: [], lanes: [] };
        return { ...known, problem: messageOf(error) };
      }
    },
    close,
  };
}

async function connect(
  place: ProjectPlace,
  name: string,
  store: Store,
  onProblem: (sentence: string) => void,
): Promise<Connection> {
  const fleet = await openFleetOf(place, { fleet: { name } });
  try {
    const { repository } = fleet;
    const { env } = place;
    const elsewhere = openFollowingLook({ store, repository, env, fleet, onProblem });
    return { fleet, elsewhere, jobs: await fleet.openJobs() };
  } catch (error) {
    await fleet.close();
    throw error;
  }
}

const cardOf = ({
  fleet: name,
  machine,
  machines,
  stories,
  lanes,
  costs,
}: FleetView): FleetCard => ({
  name,
  machine,
  machines: machines.map((one) => ({
    name: one.name,
    state: one.state,
    isDraining: one.isDraining,
    slots: one.slots,
    labels: one.labels,
    seenAt: one.seenAt,
    stories: one.stories,
    costUsd: costs
      .filter((cost) => cost.machine === one.name)
      .reduce((sum, { costUsd }) => sum + costUsd, 0),
  })),
  lanes: lanes.flatMap((one) => (one.machine ? [{ lane: one.lane, machine: one.machine }] : [])),
  stories: stories.map((one) => ({
    story: one.story,
    queue: one.queue,
    parked: one.parked,
    machine: one.machine,
    isSilent: one.isSilent,
  })),
});
