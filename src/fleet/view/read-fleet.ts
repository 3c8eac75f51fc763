// The whole fleet as one value, for `saga fleet status` and for pages. It says where each fact comes from: the engine knows
// who works on what right now, git knows what is done.

import { storyOfLease } from "../../store/leases/lease-names.ts";
import type { LeaseState } from "../../store/leases/leases.ts";
import type { ParkReason } from "../../story/state/fleet-work.ts";
import type { JobState, JobView } from "../engine/job-view.ts";
import type { MachineView } from "../engine/machines.ts";
import type { Fleet } from "../fleet.ts";
import type { StoryCost } from "../records/records.ts";

export interface FleetView {
  readonly fleet: string;
  /** This machine. */
  readonly machine: string;
  readonly machines: readonly (MachineView & { readonly stories: readonly string[] })[];
  readonly stories: readonly FleetStory[];
  readonly lanes: readonly FleetLane[];
  readonly costs: readonly StoryCost[];
  /** Where each of them comes from. Whether a story is done is known from git: `saga status`. */
  readonly sources: Readonly<Record<"machines" | "stories" | "lanes" | "costs", "engine">>;
}

export interface FleetStory {
  readonly story: string;
  readonly epic: string | undefined;
  /** In the queue. Undefined for a story that a person started on a machine. */
  readonly queue: JobState | undefined;
  /** Why no member takes it, if it is parked. */
  readonly parked: ParkReason | undefined;
  /** The machine that holds its lease now. */
  readonly machine: string | undefined;
  readonly fence: number | undefined;
  /** The lease is held, and its owner is silent: another machine may take it. */
  readonly isSilent: boolean;
  readonly attempts: number;
}

export interface FleetLane {
  readonly lane: string;
  readonly machine: string | undefined;
}

export async function readFleet(fleet: Fleet): Promise<FleetView> {
  const jobs = await fleet.openJobs();
  try {
    return fleetView(fleet, {
      machines: await fleet.machines.list(),
      jobs: await jobs.list(),
      leases: await fleet.leases.list(),
      costs: await fleet.records.costs(),
    });
  } finally {
    await jobs.close();
  }
}

interface FleetFacts {
  readonly machines: readonly MachineView[];
  /** Oldest first. */
  readonly jobs: readonly JobView[];
  readonly leases: readonly LeaseState[];
  readonly costs?: readonly StoryCost[];
}

export function fleetView(
  { fleet, machine }: Pick<Fleet, "fleet" | "machine">,
  { machines, jobs, leases, costs = [] }: FleetFacts,
): FleetView {
  // Of several jobs of a story the newest counts.
  const jobOf = new Map(jobs.map((job) => [job.story, job]));
  const leaseOf = new Map(leases.map((lease) => [storyOfLease(lease.name), lease]));
  const names = [...jobOf.keys(), ...leaseOf.keys()].filter((name) => name !== undefined);
  const stories = [...new Set(names)].map((story): FleetStory => {
    const [job, lease] = [jobOf.get(story), leaseOf.get(story)];
    return {
      story,
      epic: job?.epic,
      queue: job?.state,
      parked: job?.parked,
      machine: lease?.record.machine,
      fence: lease?.fence,
      isSilent: lease?.life === "dead",
      attempts: job?.attempts ?? 0,
    };
  });
  const storiesOn = (name: string): string[] =>
    stories.filter((one) => one.machine === name && !one.isSilent).map(({ story }) => story);
  return {
    fleet,
    machine,
    machines: machines.map((one) => ({ ...one, stories: storiesOn(one.name) })),
    stories,
    lanes: leases
      .filter(({ name, life }) => name.startsWith("lane.") && life === "alive")
      .map(({ name, record }) => ({ lane: name.slice("lane.".length), machine: record.machine })),
    costs,
    sources: { machines: "engine", stories: "engine", lanes: "engine", costs: "engine" },
  };
}
