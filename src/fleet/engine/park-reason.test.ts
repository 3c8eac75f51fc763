// Stories in the queue that no member takes, and what takes them up again.

import { expect, it, onTestFinished } from "vitest";
import { newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import type { ParkReason } from "../../story/state/fleet-work.ts";
import { openDatabase } from "./database.ts";
import type { QueuedStory } from "./job-flow.ts";
import { openJobs, type Jobs } from "./jobs.ts";

const postgres = usePostgres();

async function newQueue(): Promise<Jobs> {
  return (await openQueue()).jobs;
}

async function openQueue() {
  const database = openDatabase(await newDatabase(await postgres()));
  const jobs = await openJobs(database, { schema: "saga_shop_jobs", migrate: true });
  onTestFinished(async () => {
    await jobs.close();
    await database.close();
  });
  return { jobs, database };
}

const queued = (story: string, more: Partial<QueuedStory> = {}): QueuedStory => ({
  root: "a".repeat(40),
  commit: "b".repeat(40),
  story,
  merge: true,
  labels: [],
  priority: 2,
  after: [],
  ...more,
});

const states = async (jobs: Jobs): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await jobs.list()).map(({ story, state, parked }) => [story, parked ?? state]),
  );

async function park(jobs: Jobs, story: string, why: ParkReason): Promise<void> {
  const claim = await jobs.claim([]);
  expect(claim?.work?.story).toBe(story);
  if (claim) await jobs.park(claim, why);
}

it("says why a story is parked, and forgets it when the story is taken up again", async () => {
  const jobs = await newQueue();
  await jobs.enqueue([queued("cart")]);
  await park(jobs, "cart", "budget");
  expect(await states(jobs)).toEqual({ cart: "budget" });
  await jobs.enqueue([queued("cart")]);
  expect(await states(jobs)).toEqual({ cart: "queued" });
  await park(jobs, "cart", "person");
  expect(await states(jobs)).toEqual({ cart: "person" });
  await jobs.withdraw("cart");
  expect(await states(jobs)).toEqual({ cart: "discarded" });
});

it("takes up by a person's answer only what needed a person", async () => {
  const jobs = await newQueue();
  const plan = ["a", "b", "c"].map((id) => queued(id));
  await jobs.enqueue(plan);
  await park(jobs, "a", "person");
  await park(jobs, "b", "budget");
  await jobs.withdraw("c");
  const taken = [];
  for (const { story } of plan) taken.push(await jobs.unpark(story));
  expect(taken).toEqual([true, false, false]);
  expect(await states(jobs)).toEqual({ a: "queued", b: "budget", c: "discarded" });
  expect(await jobs.enqueue(plan)).toEqual(["b", "c"]);
});

it("leaves what is parked when the queue is built again from git", async () => {
  const jobs = await newQueue();
  const plan = [queued("cart"), queued("order", { after: ["cart"] })];
  await jobs.enqueue(plan);
  await park(jobs, "cart", "person");
  expect(await jobs.enqueue(plan, { parkedStay: true })).toEqual([]);
  expect(await states(jobs)).toEqual({ cart: "person", order: "waiting" });
});

it("puts a story into the queue as parked, and what depends on it waits for that", async () => {
  const jobs = await newQueue();
  const plan = [
    queued("gone", { parked: "discarded" }),
    queued("alone", { parked: "person" }),
    queued("price"),
    queued("order", { after: ["gone", "price"] }),
  ];
  expect(await jobs.enqueue(plan, { parkedStay: true })).toEqual(["price", "order"]);
  const all = { gone: "discarded", alone: "person", price: "queued", order: "waiting" };
  expect(await states(jobs)).toEqual(all);
  const claims = [await jobs.claim([]), await jobs.claim([])];
  expect(claims.map((claim) => claim?.work?.story)).toEqual(["price", undefined]);
  await jobs.enqueue(plan.map((story) => ({ ...story, parked: undefined })));
  expect((await jobs.claim([]))?.work?.story).toBe("gone");
});

it("starts what depends on a parked story when people finished and merged it", async () => {
  const jobs = await newQueue();
  await jobs.enqueue([queued("cart"), queued("order", { after: ["cart"] })]);
  await park(jobs, "cart", "person");
  await jobs.markMerged("cart");
  expect((await jobs.claim([]))?.work?.story).toBe("order");
});

it("keeps a parked story longer than one that is done, however long its person takes", async () => {
  const { jobs, database } = await openQueue();
  await jobs.enqueue([queued("cart"), queued("price", { priority: 3 })]);
  await park(jobs, "cart", "person");
  const price = await jobs.claim([]);
  if (price) await jobs.complete(price);
  const rows = await database.query(
    `SELECT singleton_key AS story, deletion_seconds / 86400 AS days
     FROM saga_shop_jobs.job WHERE name = 'story' ORDER BY 1`,
  );
  expect(rows).toEqual([
    { story: "cart", days: 365 },
    { story: "price", days: 30 },
  ]);
});

it("takes what no member has claimed of an epic out of the queue, and puts it back in its order", async () => {
  const jobs = await newQueue();
  const epic = "shop";
  const plan = [
    queued("cart", { epic }),
    queued("price", { epic, priority: 3 }),
    queued("order", { epic, after: ["cart"] }),
  ];
  await jobs.enqueue([...plan, queued("mail", { epic: "blog", priority: 4 })]);
  const cart = await jobs.claim([]);
  expect(cart?.work?.story).toBe("cart");
  expect((await jobs.stop("shop")).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "order",
    "price",
  ]);
  const all = { cart: "active", price: "stopped", order: "stopped", mail: "queued" };
  expect(await states(jobs)).toEqual(all);
  expect(await jobs.stop("shop")).toEqual([]);
  if (cart) await jobs.complete(cart);
  expect((await jobs.claim([]))?.work?.story).toBe("mail");
  expect(await jobs.enqueue(plan.slice(1))).toEqual(["price", "order"]);
  expect((await jobs.claim([]))?.work?.story).toBe("order");
});
