import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newWorld, repaired, TASK } from "../../../test/support/overseer-world.ts";

describe("a failure of the list", () => {
  it("is repaired, and the daemon restarted", async () => {
    const world = newWorld(({ write }) => {
      write("tasks/1.json", TASK);
      return repaired;
    });
    const file = world.write("tasks/1.json", "{ broken");
    expect(await world.oversee(["0"])).toMatchObject({ exitCode: 0, starts: 2, repairs: 1 });
    expect(world.requests).toMatchObject([
      { problems: [{ kind: "invalid-json", file, taskId: "1" }], before: undefined },
    ]);
  });

  it("that prevents the start is repaired too", async () => {
    const world = newWorld(({ write }) => {
      write("context.toml", "");
      return repaired;
    });
    world.write("context.toml", "[ui]\nprolog = 1");
    expect(await world.oversee(["refuse", "0"])).toMatchObject({ exitCode: 0, repairs: 1 });
    expect(world.requests[0]?.problems[0].kind).toBe("context");
  });

  it("that remains is repaired again with its current problem, then given up", async () => {
    const world = newWorld();
    const file = world.write("tasks/1.json", "{ broken");
    expect(await world.oversee(["0"])).toMatchObject({
      exitCode: 1,
      starts: 1,
      repairs: 3,
      gaveUp: { failure: { kind: "invalid-json", file }, why: "It is as broken as before." },
    });
    expect(world.requests.map(({ before }) => before)).toEqual([
      undefined,
      "It is as broken as before.",
      "It is as broken as before.",
    ]);
  });

  it("that returns after each repair is given up too", async () => {
    const world = newWorld(() => repaired);
    const file = join(world.list, "1.json");
    const failure = `fail:${JSON.stringify({ kind: "write-failed", file, message: "No space." })}`;
    expect(await world.oversee([failure])).toMatchObject({ exitCode: 1, starts: 4 });
  });

  it("that needs a person is reported at once", async () => {
    const world = newWorld();
    const failure = { kind: "write-failed", message: "Main is busy.", needsPerson: true };
    expect(await world.oversee([`fail:${JSON.stringify(failure)}`, "0"])).toMatchObject({
      exitCode: 1,
      starts: 1,
      repairs: 0,
      gaveUp: { failure, why: "write-failed: Main is busy." },
    });
  });

  it("of permissions is repaired without a model", async () => {
    const world = newWorld();
    const file = world.write("tasks/1.json", TASK);
    chmodSync(file, 0o000);
    const failure = `fail:${JSON.stringify({ kind: "unreadable", file, taskId: "1", message: "No." })}`;
    expect(await world.oversee([failure, "0"])).toMatchObject({ exitCode: 0, repairs: 0 });
    expect(world.requests).toEqual([]);
    expect(readFileSync(file, "utf8")).toContain("One");
  });

  it("waits for a usage limit with a known end, and does not count the attempt", async () => {
    let isFirst = true;
    const world = newWorld(({ list }) => {
      if (isFirst) {
        isFirst = false;
        return { kind: "limit", reason: "The limit is reached.", resetsAtMs: Date.now() + 50 };
      }
      writeFileSync(join(list, "1.json"), JSON.stringify(TASK));
      return repaired;
    });
    world.write("tasks/1.json", "{ broken");
    const limits = { repairs: 1, pauseMs: 1 };
    expect(await world.oversee(["0"], { limits })).toMatchObject({ exitCode: 0, repairs: 2 });
  });

  it("is not retried forever if the usage limit claims to have ended already", async () => {
    let refusals = 0;
    const triedAt: number[] = [];
    const world = newWorld(({ list }) => {
      triedAt.push(performance.now());
      if (refusals++ < 2)
        return { kind: "limit", reason: "The limit is reached.", resetsAtMs: Date.now() - 60_000 };
      writeFileSync(join(list, "1.json"), JSON.stringify(TASK));
      return repaired;
    });
    world.write("tasks/1.json", "{ broken");
    const limits = { repairs: 1, pauseMs: 200 };
    expect(await world.oversee(["0"], { limits })).toMatchObject({ exitCode: 0, repairs: 3 });
    const [first = 0, , third = 0] = triedAt;
    expect(third - first).toBeGreaterThan(390);
  });

  it("is left to the next overseer when this one is stopped", async () => {
    const stop = new AbortController();
    const world = newWorld(() => {
      stop.abort();
      return { kind: "stopped" };
    });
    world.write("tasks/1.json", "{ broken");
    expect(await world.oversee(["0"], { stop: stop.signal })).toMatchObject({
      exitCode: 1,
      starts: 1,
      gaveUp: undefined,
    });
  });
});
