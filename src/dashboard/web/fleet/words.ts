// What the Fleet page says about machines and stories. Pure.

import type { FleetMachineCard, FleetStoryCard } from "../../protocol/fleet.ts";

export function machineWord({ state, isDraining }: FleetMachineCard): string {
  switch (state) {
    case "left":
      return "left";
    case "silent":
      return "silent";
    case "joined":
      return isDraining ? "draining" : "joined";
  }
}

export const slotsText = (used: number, slots: number): string =>
  `${used} of ${slots} ${slots === 1 ? "slot" : "slots"} used`;

/** Those with an owner first, then those that a person has to look at. */
export const openStories = (stories: readonly FleetStoryCard[]): FleetStoryCard[] =>
  stories
    .filter(({ queue, machine }) => machine !== undefined || (queue ?? "done") !== "done")
    .toSorted((one, other) => rank(one) - rank(other));

function rank({ queue, machine }: FleetStoryCard): number {
  if (machine !== undefined) return 0;
  return ["active", "parked", "queued", "waiting"].indexOf(queue ?? "") + 1;
}

/** The engine knows a lane by its id: the branch, and a part of a hash. */
export const laneWord = (lane: string): string =>
  /^lane-remote-(?<branch>.+)-[0-9a-f]{8}$/.exec(lane)?.groups?.["branch"] ?? lane;
