import { expect, it } from "vitest";
import { leaseOf } from "../../../test/support/lease-state.ts";
import type { JobView } from "../engine/jobs.ts";
import type { MachineView } from "../engine/machines.ts";
import { fleetView } from "./read-fleet.ts";

const job = (story: string, more: Partial<JobView> = {}): JobView => ({
  id: story,
  story,
  epic: "shop",
  merge: true,
  state: "active",
  attempts: 1,
  queuedAt: "2026-11-18T10:00:00.000Z",
  endedAt: undefined,
  ...more,
});

const machine = (name: string): MachineView => ({
  name,
  slots: 1,
  labels: [],
  version: "0.1.0",
  joinedAt: "",
  seenAt: "",
  isDraining: false,
  state: "joined",
});

it("shows who works on what, and what waits", () => {
  const view = fleetView(
    { fleet: "shop", machine: "ann" },
    {
      machines: [machine("ann"), machine("bob")],
      jobs: [job("cart", { state: "parked" }), job("cart"), job("order", { state: "waiting" })],
      leases: [
        leaseOf("story.cart", "bob"),
        leaseOf("story.by-hand", "ann"),
        leaseOf("story.left", "eve", "dead"),
        leaseOf("lane.lane-remote-main-1", "bob"),
        leaseOf("machine.bob", "bob"),
      ],
    },
  );
  expect(view.machines.map(({ name, stories }) => [name, stories])).toEqual([
    ["ann", ["by-hand"]],
    ["bob", ["cart"]],
  ]);
  expect(view.stories).toMatchObject([
    { story: "cart", queue: "active", machine: "bob", fence: 3, isSilent: false },
    { story: "order", queue: "waiting", machine: undefined },
    { story: "by-hand", queue: undefined, machine: "ann" },
    { story: "left", machine: "eve", isSilent: true },
  ]);
  expect(view.lanes).toEqual([{ lane: "lane-remote-main-1", machine: "bob" }]);
});
