// The fleet of a project, as pages show it. Types only.

import type { FleetWork } from "../../story/state/fleet-work.ts";

/** Read from the fleet's database. What is done is not here: git knows it, and stories have cards. */
export interface FleetCard {
  readonly name: string;
  /** The machine that this dashboard runs on. */
  readonly machine: string;
  readonly machines: readonly FleetMachineCard[];
  readonly stories: readonly FleetStoryCard[];
  /** Who merges into a branch at the remote at this moment. */
  readonly lanes: readonly FleetLaneCard[];
  /** Why the database could not be read just now. The rest is what was last read. */
  readonly problem?: string | undefined;
}

export interface FleetMachineCard {
  readonly name: string;
  /** `silent`: it has not reported for some time. Its stories may go to others. */
  readonly state: "joined" | "silent" | "left";
  readonly isDraining: boolean;
  readonly slots: number;
  readonly labels: readonly string[];
  /** Its last sign of life. */
  readonly seenAt: string;
  readonly stories: readonly string[];
  /** What its runs have cost. */
  readonly costUsd: number;
}

export interface FleetStoryCard extends Omit<FleetWork, "attempts"> {
  readonly story: string;
}

export interface FleetLaneCard {
  /** The name of the lane. */
  readonly lane: string;
  readonly machine: string;
}
