// A fleet of three machines, for pages.

import type { FleetCard } from "../../../src/dashboard/protocol/fleet.ts";
import { before } from "./moment.ts";

export const fleet: FleetCard = {
  name: "bookshop",
  machine: "build-1",
  machines: [
    {
      name: "build-1",
      state: "joined",
      isDraining: false,
      slots: 2,
      labels: [],
      seenAt: before(0.05),
      stories: ["checkout--payment"],
      costUsd: 4.2,
    },
    {
      name: "build-2",
      state: "joined",
      isDraining: true,
      slots: 3,
      labels: ["gpu"],
      seenAt: before(0.1),
      stories: [],
      costUsd: 0,
    },
    {
      name: "laptop",
      state: "silent",
      isDraining: false,
      slots: 1,
      labels: [],
      seenAt: before(4),
      stories: [],
      costUsd: 0,
    },
  ],
  lanes: [{ lane: "lane-remote-main-1a2b3c4d", machine: "build-2" }],
  stories: [
    { story: "checkout--cart", queue: "done", isSilent: false },
    { story: "checkout--payment", queue: "active", machine: "build-1", isSilent: false },
    { story: "accounts--reset", queue: "active", machine: "laptop", isSilent: true },
    { story: "checkout--refund", queue: "waiting", isSilent: false },
    { story: "search--index", queue: "parked", parked: "discarded", isSilent: false },
    { story: "accounts--sign-in", queue: "done", isSilent: false },
  ],
};
