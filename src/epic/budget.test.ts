import { describe, expect, it } from "vitest";
import type { Run } from "../story/state/run.ts";
import { meterStories } from "./budget.ts";

describe("the cost of an epic's run", () => {
  it("is what its stories have cost since it began", async () => {
    const records = newRecords();
    records.set("a1", 2);
    const spent = await meterStories(records, ["a", "b"]);
    expect(await spent()).toEqual({ costUsd: 0, costIsEstimate: false });
    records.set("a1", 2.5);
    records.set("b1", 1, true);
    expect(await spent()).toEqual({ costUsd: 1.5, costIsEstimate: true });
  });

  it("still counts a run that was pruned meanwhile", async () => {
    const records = newRecords();
    const spent = await meterStories(records, ["a"]);
    records.set("a1", 3);
    await spent();
    records.delete("a1");
    expect((await spent()).costUsd).toBe(3);
  });

  it("is exact although an earlier run was estimated", async () => {
    const records = newRecords();
    records.set("a1", 3, true);
    const spent = await meterStories(records, ["a"]);
    records.set("a2", 1);
    expect(await spent()).toEqual({ costUsd: 1, costIsEstimate: false });
  });

  it("leaves out a story whose records cannot be read: it is not started", async () => {
    const spent = await meterStories({ listRuns: () => Promise.reject(new Error("x")) }, ["a"]);
    expect((await spent()).costUsd).toBe(0);
  });
});

/** Runs in memory; the first letter of an id is its story. */
function newRecords() {
  const runs = new Map<string, Run>();
  return {
    set: (id: string, costUsd: number, costIsEstimate = false): void => {
      const story = id.slice(0, 1);
      runs.set(id, { id, story, startedAt: "", cycles: 1, costUsd, costIsEstimate } as Run);
    },
    delete: (id: string): void => void runs.delete(id),
    listRuns: async (storyId: string): Promise<Run[]> =>
      [...runs.values()].filter(({ story }) => story === storyId),
  };
}
