import { expect, it } from "vitest";
import type { FleetMachineCard, FleetStoryCard } from "../../protocol/fleet.ts";
import { laneWord, machineWord, openStories, slotsText, workWord } from "./words.ts";

const machine: FleetMachineCard = {
  name: "ann",
  state: "joined",
  isDraining: false,
  slots: 2,
  labels: [],
  seenAt: "2026-01-01T00:00:00.000Z",
  stories: [],
  costUsd: 0,
};

it("says what a machine does, and how much of it is used", () => {
  expect(machineWord(machine)).toBe("joined");
  expect(machineWord({ ...machine, isDraining: true })).toBe("draining");
  expect(machineWord({ ...machine, isDraining: true, state: "silent" })).toBe("silent");
  expect(machineWord({ ...machine, isDraining: true, state: "left" })).toBe("left");
  expect(slotsText(0, 1)).toBe("0 of 1 slot used");
  expect(slotsText(2, 3)).toBe("2 of 3 slots used");
});

const story = (more: Partial<FleetStoryCard>): FleetStoryCard => ({
  story: "cart",
  isSilent: false,
  ...more,
});

it("lists stories with an owner first, and none that is done", () => {
  const all = [
    story({ story: "a", queue: "done" }),
    story({ story: "b", queue: "waiting" }),
    story({ story: "c", queue: "parked" }),
    story({ story: "d", queue: "active", machine: "ann" }),
  ];
  expect(openStories(all, []).map((one) => one.story)).toEqual(["d", "c", "b"]);
  expect(openStories(all, ["a", "x"]).map((one) => one.story)).toEqual(["d", "c", "a", "b"]);
});

it("says what is true of a story, also if the queue is done with it", () => {
  expect(workWord(story({ queue: "done" }), false)).toBe("done");
  expect(workWord(story({ queue: "done" }), true)).toBe("passed its gate; people merge it");
  expect(workWord(story({ queue: "active", machine: "ann" }), true)).toBe("running on ann");
  expect(workWord(story({ queue: "parked", parked: "discarded" }), false)).toBe("discarded");
});

it("names a lane by its branch", () => {
  expect(laneWord("lane-remote-main-1a2b3c4d")).toBe("main");
  expect(laneWord("something-else")).toBe("something-else");
});
