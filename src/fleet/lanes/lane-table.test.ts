import { expect, it } from "vitest";
import {
  COMMIT,
  LANDED,
  MAIN,
  sharedStory as story,
  useLaneFleet,
} from "../../../test/support/lane-fleet.ts";

const newFleet = useLaneFleet();

const start = async () => {
  const fleet = await newFleet();
  return { ...fleet, ann: fleet.machine("ann"), bob: fleet.machine("bob") };
};

it("lets no process land or settle that does not own the lane, or not any more", async () => {
  const { ann, bob, query, schema } = await start();
  const entry = await bob.queue.enqueue(story("two"));
  const act = async (): Promise<boolean> => {
    const isMarked = await ann.queue.markLanding(entry);
    await ann.queue.noteLanded(entry, LANDED);
    await ann.queue.leave(entry);
    await ann.queue.setNow(MAIN, { entries: [], step: "land", startedAt: entry.enqueuedAt });
    return isMarked;
  };
  expect(await act()).toBe(false);
  const end = await ann.land();
  await query(`UPDATE ${schema}.lease SET renewed_at = renewed_at - interval '2 minutes'`);
  expect(await act()).toBe(false);
  await end();
  await bob.land();
  expect(await act()).toBe(false);
  expect(await bob.queue.list(MAIN)).toEqual([entry]);
  expect(await bob.queue.now(MAIN)).toBeUndefined();
});

it("keeps the marks of a lander that lives", async () => {
  const { ann, bob } = await start();
  const entry = await bob.queue.enqueue(story("two"));
  await ann.land();
  await ann.queue.markLanding(entry);
  await bob.queue.unmarkLanding(MAIN);
  expect(await bob.queue.withdraw(entry, { kind: "stopped" })).toBe(false);
});

it("lets one of two that mark and withdraw at the same moment have its way", async () => {
  const { ann, bob } = await start();
  const entries = [];
  for (let at = 0; at < 20; at++) entries.push(await bob.queue.enqueue(story(`s${at}`)));
  await ann.land();
  for (const entry of entries) {
    const [isMarked, isWithdrawn] = await Promise.all([
      ann.queue.markLanding(entry),
      bob.queue.withdraw(entry, { kind: "stopped" }),
    ]);
    expect(isMarked, entry.name).toBe(!isWithdrawn);
  }
});

it("has nothing to do with rows that no Saga wrote", async () => {
  const { ann, bob, query, schema } = await start();
  const own = await bob.queue.enqueue(story("two"));
  const add = (id: string, row: Readonly<Record<string, unknown>>) => {
    const all = {
      id,
      lane: "remote.main",
      kind: "story",
      name: id,
      machine: "ann",
      body: JSON.stringify({ priority: 1, after: [], checks: [] }),
      ...row,
    };
    const names = Object.keys(all);
    const places = names.map((_, at) => `$${at + 1}`).join(", ");
    const text = `INSERT INTO ${schema}.lane_entry (${names.join(", ")}) VALUES (${places})`;
    return query(text, Object.values(all));
  };
  await add("../../x", {});
  await add("0000000000001-00000000", { name: "../x" });
  await add("0000000000002-00000000", { kind: "task", name: "auto-1/3" });
  await add("0000000000003-00000000", { machine: "no name" });
  await add("0000000000004-00000000", { lane: "remote.--all", name: "one" });
  await add("0000000000005-00000000", { lane: "here.main", name: "one" });
  await add("0000000000006-00000000", { name: "one", outcome: JSON.stringify({ kind: "landed" }) });
  await query(`INSERT INTO ${schema}.lane_now VALUES ('remote.main', '{"entries":["rm -rf /"]}')`);
  await query(`INSERT INTO ${schema}.lane_batch VALUES ('remote.main', '{"landed":3}')`);
  for (const { queue } of [ann, bob]) {
    expect(await queue.lanes()).toEqual([MAIN]);
    expect((await queue.list(MAIN)).map(({ id }) => id)).toEqual([own.id]);
    expect(await queue.unsettled(MAIN)).toEqual([]);
    expect(await queue.now(MAIN)).toBeUndefined();
    expect(await queue.history(MAIN)).toEqual([]);
  }
});

it("forgets old outcomes, and keeps what a machine that is away has not seen", async () => {
  const { ann, bob, query, schema } = await start();
  const [seen, unseen] = [
    await ann.queue.enqueue(story("one")),
    await bob.queue.enqueue(story("two")),
  ];
  await ann.land();
  await ann.queue.settle(seen, {});
  await ann.queue.noteLanded(unseen, LANDED);
  await query(`UPDATE ${schema}.lane_entry SET changed_at = changed_at - interval '3 days'`);
  const batch = { at: seen.enqueuedAt, ms: 1, from: COMMIT, to: COMMIT };
  await ann.queue.record(MAIN, { ...batch, landed: ["one"], checks: [], flaky: [] });
  const rows = await query<{ name: string }>(`SELECT name FROM ${schema}.lane_entry`);
  expect(rows.map(({ name }) => name)).toEqual(["two"]);
});
