// Lanes and conflicts of the shop: a batch is checked, a story waits for the next, an epic is on hold.

import type {
  ConflictCard,
  LaneCard,
  LaneEntryCard,
} from "../../../src/dashboard/protocol/landing.ts";
import { before } from "./moment.ts";

const landing = (name: string, minutesAgo: number): LaneEntryCard => ({
  name,
  kind: "task",
  by: "saga auto",
  enqueuedAt: before(minutesAgo),
  batch: 1,
  state: "landing",
  reason: "running the check: npm test",
  landsAt: before(-1.4),
});

export const mainLane: LaneCard = {
  id: "remote.main",
  target: "main on GitHub (acorn/bookshop)",
  hasLander: true,
  now: {
    entries: ["auto-1/14", "auto-2/15"],
    step: "verify",
    command: "npm test",
    candidate: 2,
    startedAt: before(1.2),
  },
  entries: [
    landing("auto-1/14", 2),
    landing("auto-2/15", 1.5),
    {
      name: "accounts--sign-in",
      kind: "story",
      by: "saga merge",
      enqueuedAt: before(0.8),
      batch: 2,
      state: "waiting",
      reason: "next to land",
      landsAt: before(-4),
    },
    {
      name: "accounts",
      kind: "epic",
      by: "saga merge",
      enqueuedAt: before(40),
      batch: undefined,
      state: "held",
      reason: "held by Ada",
    },
  ],
  recent: [
    {
      at: before(31),
      ms: 161_000,
      landed: ["checkout--cart", "old-imports", "auto-2/13"],
      commit: "4be1f0c2d9a7",
      checksRun: 1,
      checksReused: 0,
      hasFlaky: false,
    },
    {
      at: before(4280),
      ms: 402_000,
      landed: ["accounts--tables"],
      ejected: "faster-images",
      commit: "91c0aa34be11",
      checksRun: 4,
      checksReused: 1,
      hasFlaky: true,
    },
  ],
  checks: { run: 5, saved: 9 },
  flaky: ["npm run e2e"],
};

export const lanes: readonly LaneCard[] = [mainLane];

const pair = (
  story: string,
  other: ConflictCard["with"],
  files: readonly string[],
  minutesAgo: number,
): Record<string, ConflictCard> => ({
  [`${story} ${other.kind} ${other.name}`]: {
    story,
    with: other,
    files,
    since: before(minutesAgo),
    moreFiles: 0,
  },
});

export const conflicts: Readonly<Record<string, ConflictCard>> = {
  ...pair(
    "checkout--payment",
    { kind: "story", name: "checkout--prices" },
    ["src/order.ts", "src/prices/total.ts"],
    4,
  ),
  ...pair("accounts--reset", { kind: "story", name: "accounts--sign-in" }, ["src/mail.ts"], 1),
  ...pair("accounts--reset", { kind: "story", name: "checkout--payment" }, ["src/mail.ts"], 1),
  ...pair("checkout--prices", { kind: "target", name: "main" }, ["package.json"], 12),
};
