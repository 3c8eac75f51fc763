import { expect, it } from "vitest";
import type { FleetStory, FleetView } from "../../../fleet/view/read-fleet.ts";
import { renderMachines, renderStatus } from "./render.ts";

const story: FleetStory = {
  story: "cart",
  epic: "shop",
  queue: "active",
  parked: undefined,
  machine: undefined,
  fence: undefined,
  isSilent: false,
  attempts: 1,
};

it("shows machines, what is open, and how much is done", () => {
  const machine = {
    name: "ann",
    slots: 2,
    labels: ["web"],
    version: "0.1.0",
    joinedAt: "",
    seenAt: "",
    isDraining: true,
    state: "joined",
    stories: ["cart"],
  } as const;
  const view: FleetView = {
    fleet: "shop",
    machine: "ann",
    machines: [machine],
    stories: [
      { ...story, machine: "ann" },
      { ...story, story: "old", queue: "done" },
      { ...story, story: "gated", queue: "done" },
    ],
    lanes: [],
    costs: [],
    sources: { machines: "engine", stories: "engine", lanes: "engine", costs: "engine" },
  };
  const text = renderStatus(view, ["gated"], (_, words) => words);
  expect(text).toMatch(/gated +passed its gate: `saga merge gated`/);
  expect(text).toMatch(/● ann +draining +2 slots +web/);
  expect(text).toContain("running on ann");
  expect(text).toContain("1 done");
  expect(text).not.toContain("old");
  expect(renderMachines([], (_, words) => words)).toContain("No machine has joined");
});

it("names the next command for each story that no machine takes", () => {
  const parked = (["person", "discarded", "budget"] as const).map((why): FleetStory => ({
    ...story,
    story: `is-${why}`,
    queue: "parked",
    parked: why,
  }));
  const view: FleetView = {
    fleet: "shop",
    machine: "ann",
    machines: [],
    stories: parked,
    lanes: [],
    costs: [],
    sources: { machines: "engine", stories: "engine", lanes: "engine", costs: "engine" },
  };
  const text = renderStatus(view, [], (_, words) => words);
  expect(text).toMatch(/is-person +needs a person: `saga show is-person`/);
  expect(text).toMatch(/is-discarded +discarded: `saga epic run shop --fleet`/);
  expect(text).toMatch(/is-budget +its epic's budget is spent: `saga epic run shop --fleet`/);
});
