// What the Fleet page says about machines and stories. Pure.

import { fleetWorkText } from "../../../story/state/fleet-work.ts";
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

/**
 * Those with an owner first, then those that a person has to look at. `inReview`: no machine works on them, and they are
 * not merged either.
 */
export const openStories = (
  stories: readonly FleetStoryCard[],
  inReview: readonly string[],
): FleetStoryCard[] =>
  stories
    .filter((story) => isOnFleet(story) || inReview.includes(story.story))
    .toSorted((one, other) => rank(one) - rank(other));

const isOnFleet = ({ queue = "done", machine }: FleetStoryCard): boolean =>
  machine !== undefined || queue !== "done";

function rank({ queue, machine }: FleetStoryCard): number {
  if (machine !== undefined) return 0;
  return ["active", "parked", "done", "queued", "waiting"].indexOf(queue ?? "") + 1;
}

/** `isInReview`: as git knows it. */
export const workWord = (story: FleetStoryCard, isInReview: boolean): string =>
  isInReview && !isOnFleet(story) ? "passed its gate; people merge it" : fleetWorkText(story);

/** The engine knows a lane by its id: the branch, and a part of a hash. */
export const laneWord = (lane: string): string =>
  /^lane-remote-(?<branch>.+)-[0-9a-f]{8}$/.exec(lane)?.groups?.["branch"] ?? lane;
