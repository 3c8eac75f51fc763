import { describe, expect, it } from "vitest";
import { finish, newEpic, runShop, type Worker } from "../../test/support/epic-run.ts";
import { thisProcess } from "../machine/processes/process-id.ts";
import { openStore } from "../store/file-store.ts";

describe("the cost limit of an epic's run", () => {
  const spend =
    (costUsd: number): Worker =>
    async (store, id) => {
      const log = await store.startRun(id, { worker: thisProcess(), costUsd });
      log.close();
      await finish(store, id);
    };

  it("covers all stories: each may spend the rest, and none starts when it is spent", async () => {
    const project = newEpic({ a: [], b: ["a"], c: ["b"] });
    const { started, limits, end, logged } = await runShop(project, spend(2), { maxCostUsd: 3 });
    expect(started).toEqual(["a", "b"]);
    expect(limits).toEqual([3, 1]);
    expect(end).toMatchObject({
      isDone: false,
      hasReachedLimit: true,
      cost: { costUsd: 4, maxUsd: 3 },
      waiting: [{ id: "c", why: "the cost limit of this run is reached ($3.00)" }],
    });
    expect(logged).toContain("Cost limit of this run reached: $4.00 of $3.00 spent.");
  });

  it("is reported once, when most of it is spent", async () => {
    const near: number[] = [];
    const project = newEpic({ a: [], b: ["a"], c: ["b"] });
    const onNearLimit = (spentUsd: number): void => void near.push(spentUsd);
    const { logged } = await runShop(project, spend(2.5), { maxCostUsd: 6, onNearLimit });
    expect(near).toEqual([5]);
    expect(logged).toContain("$5.00 of $6.00 spent in this run.");
  });

  it("starts no story while the day's budget allows none", async () => {
    const reasons = ["the budget of this day is spent"];
    const { started, end } = await runShop(newEpic({ a: [] }), finish, {
      dayRefusal: () => reasons[0],
    });
    expect([started, end.waiting]).toEqual([[], [{ id: "a", why: reasons[0] }]]);
  });

  it("ignores earlier costs of the stories", async () => {
    const project = newEpic({ a: [], b: ["a"] });
    const store = openStore(project.path);
    for (const id of ["a", "b"]) {
      const log = await store.startRun(id, { costUsd: 50, outcome: "stopped" });
      log.update({ endedAt: new Date().toISOString() });
      log.close();
    }
    const { end, limits } = await runShop(project, spend(1), { maxCostUsd: 3 });
    expect([end.isDone, limits]).toEqual([true, [3, 2]]);
    expect(end.cost).toMatchObject({ costUsd: 2 });
  });

  it("ends running stories that spent it together", async () => {
    const project = newEpic({ a: [], b: [] });
    const store = openStore(project.path);
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const running: Worker = async (_, id) => {
      const { lease } = await store.leases.acquire(`story.${id}`, { owner: "w", ttlMs: 60_000 });
      const log = await store.startRun(id, { worker: thisProcess(), costUsd: 2 });
      await stopped;
      log.update({ endedAt: new Date().toISOString(), outcome: "limit" });
      log.close();
      await lease?.release();
    };
    const { ended, end, limits } = await runShop(project, running, {
      maxCostUsd: 3,
      pollMs: 20,
      onEnd: () => stop(),
    });
    expect(limits).toEqual([3, 3]);
    expect(new Set(ended)).toEqual(new Set(["a", "b"]));
    expect(end).toMatchObject({ hasReachedLimit: true, cost: { costUsd: 4 } });
  });
});
