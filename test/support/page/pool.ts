// The sessions and the pool of the fixture's project.

import type { PoolCard, SessionCard } from "../../../src/dashboard/protocol/messages.ts";
import { before } from "./moment.ts";

export const sessions: readonly SessionCard[] = [
  {
    name: "saga-story-checkout--prices-1794842460000",
    story: "checkout--prices",
    startedAt: before(23),
    attach: "saga attach checkout--prices",
    isHere: true,
  },
  {
    name: "saga-story-accounts--reset-1794843480000",
    story: "accounts--reset",
    startedAt: before(6),
    attach: "saga attach accounts--reset",
    isHere: true,
  },
  {
    name: "saga-auto-1",
    worker: "auto-1",
    startedAt: before(340),
    attach: "tmux attach -t =saga-auto-1",
    isHere: true,
  },
];

export const pool: PoolCard = {
  list: "bookshop",
  daemons: [{ instance: "auto-3c1d", pid: 4711, state: "working", startedAt: before(340) }],
  workers: [
    {
      name: "auto-1",
      instance: "auto-3c1d",
      state: "working",
      task: "18",
      since: before(9),
      lastToolAt: before(0.3),
    },
    {
      name: "auto-2",
      instance: "auto-3c1d",
      state: "working",
      task: "21",
      since: before(2),
      lastToolAt: before(0.1),
    },
    { name: "auto-3", instance: "auto-3c1d", state: "waiting for a task" },
  ],
  tasks: [
    poolTask("17", "Rename the staging buckets", "needs-you", {
      label: "ops",
      priority: 1,
      attempts: 3,
      why: "Which of the two buckets is in use?",
      isQuestion: true,
    }),
    poolTask("18", "Upgrade the mail library", "working", {
      label: "upkeep",
      owner: "auto-1",
      attempts: 1,
    }),
    poolTask("21", "Dead links in the help pages", "working", {
      label: "docs",
      owner: "auto-2",
      attempts: 1,
    }),
    poolTask("19", "Log slow queries", "ready", { label: "speed", priority: 2 }),
    poolTask("22", "Alt texts for the banners", "ready", { label: "docs" }),
    poolTask("23", "Remove the old feature flags", "ready", { label: "upkeep", priority: 4 }),
    poolTask("20", "Alert on slow queries", "waiting", { label: "speed", blockedBy: ["19"] }),
    poolTask("14", "Pin the base image", "completed", { label: "ops", attempts: 1 }),
    poolTask("15", "Sort imports", "completed", { label: "upkeep", attempts: 1 }),
  ],
  problems: [],
};

function poolTask(
  id: string,
  subject: string,
  state: PoolCard["tasks"][number]["state"],
  more: Partial<PoolCard["tasks"][number]>,
): PoolCard["tasks"][number] {
  return { id, subject, state, priority: 3, blockedBy: [], attempts: 0, ...more };
}
