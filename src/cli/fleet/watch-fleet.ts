// The fleet as the dashboard shows it. The connection stays open between reads, and is opened again after an error.

import { messageOf } from "../../errors.ts";
import type { FleetCard } from "../../dashboard/protocol/fleet.ts";
import type { Jobs } from "../../fleet/engine/jobs.ts";
import type { Fleet } from "../../fleet/fleet.ts";
import type { FleetView } from "../../fleet/view/read-fleet.ts";
import { loadSettings } from "../../store/project/config.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { openFleetOf, type ProjectPlace } from "./open-fleet.ts";

export interface FleetWatch {
  /** Undefined for a project that is not in a fleet. With an error it is the last card, and says why. */
  readonly read: () => Promise<FleetCard | undefined>;
  readonly close: () => Promise<void>;
}

interface Connection {
  readonly fleet: Fleet;
  readonly jobs: Jobs;
}

export function watchFleet(place: ProjectPlace): FleetWatch {
  let connection: Connection | undefined;
  let last: FleetCard | undefined;
  const close = async (): Promise<void> => {
    const open = connection;
    connection = undefined;
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
        connection ??= await connect(place, name);
        const { fleet, jobs } = connection;
        const { fleetView } = await import("../../fleet/view/read-fleet.ts");
        const facts = {
          machines: await fleet.machines.list(),
          jobs: await jobs.list(),
          leases: await fleet.leases.list(),
        };
        last = cardOf(fleetView(fleet, facts));
        return last;
      } catch (error) {
        await close();
        const known = last ?? { name, machine: "", machines: [], stories: [] };
        return { ...known, problem: messageOf(error) };
      }
    },
    close,
  };
}

async function connect(place: ProjectPlace, name: string): Promise<Connection> {
  const fleet = await openFleetOf(place, { fleet: { name } });
  try {
    return { fleet, jobs: await fleet.openJobs() };
  } catch (error) {
    await fleet.close();
    throw error;
  }
}

const cardOf = ({ fleet: name, machine, machines, stories }: FleetView): FleetCard => ({
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
  })),
  stories: stories.map((one) => ({
    story: one.story,
    queue: one.queue,
    machine: one.machine,
    isSilent: one.isSilent,
  })),
});
