import { describe, expect, it } from "vitest";
import { aShop } from "../../../../test/support/page/fixture.ts";
import type { PoolTaskCard } from "../../protocol/messages.ts";
import { POOL_LOOKS } from "../words/states.ts";
import { ALL_LABELS, groupTasks, labelsOf } from "./pool-groups.ts";

const tasks = aShop().pool["bookshop"]?.tasks ?? [];

describe("the pool's tasks", () => {
  it("are grouped by state, and sorted as they will be claimed", () => {
    const groups = groupTasks(tasks, ALL_LABELS);
    expect(groups.map(({ state }) => state)).toEqual([
      "needs-you",
      "working",
      "ready",
      "waiting",
      "completed",
    ]);
    expect(groups[2]?.tasks.map(({ id }) => id)).toEqual(["19", "22", "23"]);
  });

  it("have a group for every state", () => {
    const [task] = tasks;
    const states = Object.keys(POOL_LOOKS) as PoolTaskCard["state"][];
    const all = task ? states.map((state) => ({ ...task, id: state, state })) : [];
    expect(new Set(groupTasks(all, ALL_LABELS).map(({ state }) => state))).toEqual(new Set(states));
  });

  it("can be filtered by label", () => {
    expect(labelsOf(tasks)).toEqual(["docs", "ops", "speed", "upkeep"]);
    expect(groupTasks(tasks, "speed").flatMap((group) => group.tasks)).toHaveLength(2);
  });
});
