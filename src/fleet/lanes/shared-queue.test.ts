import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  COMMIT,
  LANDED,
  MAIN,
  sharedStory as story,
  useLaneFleet,
} from "../../../test/support/lane-fleet.ts";
import { describeQueue } from "../../../test/support/queue-contract.ts";

const newFleet = useLaneFleet();

describeQueue("PostgreSQL", async () => {
  const { machine } = await newFleet();
  const { queue, land, reopen } = machine("ann");
  return { queue, other: reopen(), lane: MAIN, land };
});

describe("a lane that two machines share", () => {
  const start = async () => {
    const fleet = await newFleet();
    return { ...fleet, ann: fleet.machine("ann"), bob: fleet.machine("bob") };
  };

  it("has the entries of both, with the name of their machine", async () => {
    const { ann, bob, sent } = await start();
    await ann.queue.enqueue(story("one"));
    await bob.queue.enqueue(story("two"));
    for (const { queue } of [ann, bob]) {
      expect((await queue.list(MAIN)).map(({ name, machine }) => `${name} of ${machine}`)).toEqual([
        "one of ann",
        "two of bob",
      ]);
    }
    expect([await ann.queue.machine(MAIN), await bob.queue.machine(MAIN)]).toEqual(["ann", "bob"]);
    // Their records first: the lander judges by them.
    expect(sent).toEqual(["one", "two"]);
  });

  it("keeps targets of one machine, and tasks of its pool, to that machine", async () => {
    const { ann, bob } = await start();
    const here = { branch: "main", place: "here" } as const;
    await ann.queue.enqueue(story("one", { lane: here }));
    await ann.queue.enqueue(story("auto-1/3", { kind: "task", work: { branch: "auto/1" } }));
    expect(await bob.queue.lanes()).toEqual([]);
    expect(await ann.queue.list(MAIN)).toMatchObject([
      { kind: "task", work: { branch: "auto/1" } },
    ]);
    expect(await ann.queue.machine(here)).toBeUndefined();
  });

  it("tells the entry's machine that it landed, until that has settled it", async () => {
    const { ann, bob } = await start();
    const entry = await bob.queue.enqueue(story("two"));
    await ann.land();
    expect(await ann.queue.markLanding(entry)).toBe(true);
    await ann.queue.noteLanded(entry, LANDED);
    expect(await ann.queue.list(MAIN)).toEqual([]);
    expect(await bob.queue.outcome(entry)).toBeUndefined();
    expect([await ann.queue.landed(entry), await bob.queue.landed(entry)]).toEqual([
      LANDED,
      LANDED,
    ]);
    // The process that waited was killed; the command is given again.
    expect(await bob.reopen().enqueue(story("two"))).toEqual(entry);
    expect(await bob.queue.unsettled(MAIN)).toEqual([entry]);
    expect(await ann.queue.unsettled(MAIN)).toEqual([]);
    await bob.queue.settle(entry, { kind: "merged" });
    expect(await bob.queue.outcome(entry)).toEqual({ value: { kind: "merged" } });
    expect(await bob.queue.unsettled(MAIN)).toEqual([]);
    expect((await bob.queue.enqueue(story("two"))).id).not.toBe(entry.id);
  });

  it("leaves an entry to its machine", async () => {
    const { ann, bob } = await start();
    const entry = await bob.queue.enqueue(story("two"));
    await ann.land();
    await ann.queue.leave(entry);
    expect(await ann.queue.list(MAIN)).toMatchObject([{ name: "two", isLeft: true }]);
  });

  it("moves an entry to the machine that has brought the story to itself", async () => {
    const { ann, bob } = await start();
    const first = await bob.queue.enqueue(story("two"));
    const moved = await ann.queue.enqueue(story("two"));
    expect(moved).toMatchObject({ id: first.id, machine: "ann" });
    expect(await bob.queue.outcome(first)).toMatchObject({ value: { error: { code: "in-use" } } });
    expect(await ann.queue.outcome(moved)).toBeUndefined();
  });

  it("has no text of a command in its rows, and names checks where they are known", async () => {
    const { ann, bob, query, schema } = await start();
    const secret = "curl --user ada:secret";
    await ann.queue.enqueue(story("one", { checks: [secret], updateCheckouts: true }));
    await ann.land();
    const now = { entries: ["one"], startedAt: "2026-01-01T00:00:00.000Z" };
    await ann.queue.setNow(MAIN, {
      ...now,
      step: "verify",
      command: secret,
      output: "/home/ann/x",
    });
    const check = { command: secret, isPassed: true, ms: 1, isReused: false, candidate: 1 };
    const batch = { at: now.startedAt, ms: 1, from: COMMIT, to: COMMIT, landed: ["one"] };
    await ann.queue.record(MAIN, { ...batch, checks: [check], flaky: [secret] });
    for (const table of ["lane_entry", "lane_now", "lane_batch"]) {
      const text = JSON.stringify(await query(`SELECT * FROM ${schema}.${table}`));
      expect(text).not.toMatch(/curl|secret|home/);
    }
    expect(await ann.reopen().now(MAIN)).toMatchObject({ command: secret, machine: "ann" });
    expect((await ann.queue.history(MAIN))[0]).toMatchObject({ flaky: [secret] });
    const key = (await bob.queue.list(MAIN))[0]?.checks[0];
    expect(key).toMatch(/^check-[0-9a-f]{16}$/);
    expect(await bob.queue.now(MAIN)).toMatchObject({ command: key, machine: "ann" });
    expect(await bob.queue.now(MAIN)).not.toHaveProperty("output");
    // What a person allowed is not taken from a row.
    expect((await ann.reopen().list(MAIN))[0]?.updateCheckouts).toBe(true);
    expect((await bob.queue.list(MAIN))[0]).not.toHaveProperty("updateCheckouts");
  });

  it("does not know the end of an entry whose row is gone", async () => {
    const { bob, query, schema } = await start();
    const entry = await bob.queue.enqueue(story("two"));
    await query(`DELETE FROM ${schema}.lane_entry`);
    expect(await bob.queue.outcome(entry)).toEqual({
      value: { kind: "stopped", isUncertain: true },
    });
  });

  it("writes nothing here for a lane that is only looked at", async () => {
    const { ann, bob } = await start();
    await bob.queue.enqueue(story("two"));
    await ann.queue.list(MAIN);
    await ann.queue.lanes();
    expect(existsSync(join(ann.at.saga, "queue"))).toBe(false);
  });
});
