import { expect, it } from "vitest";
import type { LeaseState } from "../../store/leases/leases.ts";
import type { JobView } from "../engine/job-view.ts";
import type { MachineView } from "../engine/machines.ts";
import { fleetView } from "./read-fleet.ts";

const job = (story: string, more: Partial<JobView> = {}): JobView => ({
  id: story,
  story,
  epic: "shop",
  merge: true,
  state: "active",
  parked: undefined,
  attempts: 1,
  queuedAt: "2026-11-18T10:00:00.000Z",
  endedAt: undefined,
  ...more,
});

const lease = (name: string, machine: string, life: LeaseState["life"] = "alive"): LeaseState => ({
  name,
  fence: 3,
  life,
  record: {
    owner: "a worker",
    machine,
    purpose: "work",
    pid: 1,
    startTime: "1",
    bootId: "1",
    place: "1",
    takenAt: "",
    expiresAt: "",
  },
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
      jobs: [
        job("cart", { state: "parked" }),
        job("cart"),
        job("order", { state: "waiting" }),
        job("gone", { state: "parked", parked: "discarded" }),
      ],
      leases: [
        lease("story.cart", "bob"),
        lease("story.by-hand", "ann"),
        lease("story.left", "eve", "dead"),
        lease("lane.lane-remote-main-1", "bob"),
        lease("machine.bob", "bob"),
      ],
    },
  );
  expect(view.machines.map(({ name, stories }) => [name, stories])).toEqual([
    ["ann", ["by-hand"]],
    ["bob", ["cart"]],
  ]);
  expect(view.stories).toMatchObject([
    { story: "cart", queue: "active", machine: "bob", fence: 3, isSilent: false },
    { story: "order", queue: "waiting", machine: undefined, parked: undefined },
    { story: "gone", queue: "parked", parked: "discarded" },
    { story: "by-hand", queue: undefined, machine: "ann" },
    { story: "left", machine: "eve", isSilent: true },
  ]);
  expect(view.lanes).toEqual([{ lane: "lane-remote-main-1", machine: "bob" }]);
});
