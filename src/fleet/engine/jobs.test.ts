import { expect, it, onTestFinished } from "vitest";
import { asking, newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { openDatabase, type Database } from "./database.ts";
import { grantsFor } from "./schema.ts";
import type { QueuedStory } from "./job-flow.ts";
import { openJobs, type Jobs } from "./jobs.ts";

const postgres = usePostgres();
const SCHEMA = "saga_shop_jobs";

interface Queue {
  readonly jobs: Jobs;
  readonly database: Database;
  readonly url: string;
}

async function newQueue(): Promise<Queue> {
  const url = await newDatabase(await postgres());
  const database = openDatabase(url);
  const jobs = await openJobs(database, { schema: SCHEMA, migrate: true });
  onTestFinished(async () => {
    await jobs.close();
    await database.close();
  });
  return { jobs, database, url };
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
  Object.fromEntries((await jobs.list()).map(({ story, state }) => [story, state]));

it("gives out what is most urgent first, and each story once", async () => {
  const { jobs } = await newQueue();
  const stories = [queued("late", { priority: 4 }), queued("urgent", { priority: 0 })];
  expect(await jobs.enqueue(stories)).toEqual(["late", "urgent"]);
  expect(await jobs.enqueue(stories)).toEqual([]);
  const [first, second, third] = [await jobs.claim([]), await jobs.claim([]), await jobs.claim([])];
  expect([first?.work?.story, second?.work?.story, third]).toEqual(["urgent", "late", undefined]);
});

it("gives a silent member's story to others after 30 seconds, and that of a member that shows life after a day", async () => {
  const { database } = await newQueue();
  const queues = await database.query(
    `SELECT name, policy, heartbeat_seconds, expire_seconds FROM ${SCHEMA}.queue
     WHERE name IN ('story', 'merge') ORDER BY name`,
  );
  const settings = { policy: "exclusive", heartbeat_seconds: 30, expire_seconds: 86_400 };
  expect(queues).toEqual(["merge", "story"].map((name) => ({ name, ...settings })));
});

it("starts what depends on a story when it is merged by a member", async () => {
  const { jobs } = await newQueue();
  await jobs.enqueue([queued("cart"), queued("order", { after: ["cart", "not-in-the-plan"] })]);
  expect(await states(jobs)).toEqual({ cart: "queued", order: "waiting" });
  const cart = await jobs.claim([]);
  expect(await jobs.claim([])).toBeUndefined();
  if (cart) await jobs.complete(cart);
  expect((await jobs.claim([]))?.work?.story).toBe("order");
  expect(await states(jobs)).toEqual({ cart: "done", order: "active" });
});

it("starts what depends on a story only after people merged it, if they merge", async () => {
  const { jobs } = await newQueue();
  const merge = false;
  await jobs.enqueue([queued("cart", { merge }), queued("order", { merge, after: ["cart"] })]);
  const cart = await jobs.claim([]);
  if (cart) await jobs.complete(cart);
  expect(await jobs.claim([])).toBeUndefined();
  await jobs.markMerged("cart");
  expect((await jobs.claim([]))?.work?.story).toBe("order");
});

it("keeps a parked story until it is taken up again", async () => {
  const { jobs } = await newQueue();
  await jobs.enqueue([queued("cart"), queued("order", { after: ["cart"] })]);
  const cart = await jobs.claim([]);
  if (cart) await jobs.park(cart, "person");
  expect(await states(jobs)).toEqual({ cart: "parked", order: "waiting" });
  expect(await jobs.claim([])).toBeUndefined();
  expect([await jobs.unpark("cart"), await jobs.unpark("order")]).toEqual([true, false]);
  expect((await jobs.claim([]))?.work?.story).toBe("cart");
});

it("takes a story up again that a person sent back after its gate", async () => {
  const { jobs } = await newQueue();
  const merge = false;
  const plan = [queued("cart", { merge }), queued("order", { merge, after: ["cart"] })];
  await jobs.enqueue(plan);
  const first = await jobs.claim([]);
  if (first) await jobs.complete(first);
  expect([await jobs.unpark("cart"), await jobs.unpark("cart")]).toEqual([true, false]);
  expect(await states(jobs)).toEqual({ cart: "queued", order: "waiting" });
  const again = await jobs.claim([]);
  expect(again?.work).toEqual(first?.work);
  if (again) await jobs.complete(again);
  // The same by queueing the epic again.
  expect(await jobs.enqueue(plan)).toEqual(["cart"]);
  const third = await jobs.claim([]);
  if (third) await jobs.complete(third);
  expect(await jobs.claim([])).toBeUndefined();
  await jobs.markMerged("cart");
  expect((await jobs.claim([]))?.work?.story).toBe("order");
});

it("gives a discarded story to no member until a person queues it again, whatever state it was in", async () => {
  const { jobs } = await newQueue();
  const plan = ["queued", "claimed", "done"].map((story) =>
    queued(story, { merge: false, priority: story === "queued" ? 4 : 0 }),
  );
  await jobs.enqueue(plan);
  const claims = [await jobs.claim([]), await jobs.claim([])];
  const [claimed, done] = ["claimed", "done"].map((story) =>
    claims.find((claim) => claim?.work?.story === story),
  );
  if (done) await jobs.complete(done);
  for (const { story } of plan) await jobs.withdraw(story);
  const parked = { queued: "parked", claimed: "parked", done: "parked" };
  expect(await states(jobs)).toEqual(parked);
  if (claimed) {
    await jobs.touch([claimed]);
    await jobs.retry(claimed);
  }
  expect(await states(jobs)).toEqual(parked);
  expect(await jobs.claim([])).toBeUndefined();
  await jobs.withdraw("never-queued");
  await jobs.enqueue(plan);
  expect(await states(jobs)).toEqual({ queued: "queued", claimed: "queued", done: "queued" });
});

it("does not let an earlier claim settle a later one", async () => {
  const { jobs, database } = await newQueue();
  await jobs.enqueue([queued("cart")]);
  const old = await jobs.claim([]);
  if (!old) throw new Error("Nothing to claim.");
  await jobs.retry(old);
  await database.query(`UPDATE ${SCHEMA}.job SET start_after = now()`);
  const next = await jobs.claim([]);
  expect(next?.retryCount).toBe(old.retryCount + 1);
  await jobs.complete(old);
  await jobs.park(old, "person");
  await jobs.retry(old);
  expect(await states(jobs)).toEqual({ cart: "active" });
});

it("gives a story of a silent member to others, and keeps that of one that shows life", async () => {
  const { jobs, database } = await newQueue();
  await jobs.enqueue([queued("cart"), queued("price")]);
  const [dead, alive] = [await jobs.claim([]), await jobs.claim([])];
  await database.query(`UPDATE ${SCHEMA}.job SET heartbeat_on = now() - interval '31 seconds'`);
  if (alive) await jobs.touch([alive]);
  const watching = await openJobs(database, { schema: SCHEMA, supervise: true });
  onTestFinished(() => watching.close());
  await expect
    .poll(() => states(jobs), { timeout: 15_000 })
    .toEqual({
      [dead?.work?.story ?? ""]: "queued",
      [alive?.work?.story ?? ""]: "active",
    });
});

it("prefers what a dead member left to new stories of the same priority, and to no others", async () => {
  const { jobs, database } = await newQueue();
  await jobs.enqueue([queued("left", { priority: 2 })]);
  await jobs.claim([]);
  await database.query(`UPDATE ${SCHEMA}.job SET heartbeat_on = now() - interval '31 seconds'`);
  const watching = await openJobs(database, { schema: SCHEMA, supervise: true });
  onTestFinished(() => watching.close());
  await expect.poll(() => states(jobs), { timeout: 15_000 }).toEqual({ left: "queued" });
  await jobs.enqueue([queued("urgent", { priority: 1 }), queued("new", { priority: 2 })]);
  // As if it were older: age alone would put it first.
  await database.query(
    `UPDATE ${SCHEMA}.job SET created_on = created_on - interval '1 day' WHERE singleton_key = 'new'`,
  );
  const order = [await jobs.claim([]), await jobs.claim([]), await jobs.claim([])];
  expect(order.map((claim) => claim?.work?.story)).toEqual(["urgent", "left", "new"]);
});

it("lets others go first when a member gives a story back that cannot start yet", async () => {
  const { jobs, database } = await newQueue();
  await jobs.enqueue([queued("later")]);
  const later = await jobs.claim([]);
  if (later) await jobs.retry(later);
  await jobs.enqueue([queued("new")]);
  await database.query(
    `UPDATE ${SCHEMA}.job SET start_after = now(), created_on = created_on - interval '1 day' WHERE singleton_key = 'new'`,
  );
  expect((await jobs.claim([]))?.work?.story).toBe("new");
  const rows = await database.query<{ waits: boolean }>(
    `SELECT start_after > now() AS waits FROM ${SCHEMA}.job WHERE singleton_key = 'later'`,
  );
  expect(rows).toEqual([{ waits: true }]);
});

it("queues many stories in few statements, with the dependencies between them", async () => {
  const { jobs } = await newQueue();
  const loose = Array.from({ length: 1_200 }, (_, at) =>
    queued(`loose-${at}`, { labels: ["web"] }),
  );
  const chain = Array.from({ length: 300 }, (_, at) =>
    queued(`chain-${at}`, { priority: 0, after: at === 0 ? [] : [`chain-${at - 1}`] }),
  );
  const plan = [...loose, ...chain];
  expect(await jobs.enqueue(plan)).toHaveLength(1_500);
  expect(await jobs.enqueue(plan)).toEqual([]);
  const known = Object.values(await states(jobs));
  expect(known.filter((state) => state === "queued")).toHaveLength(1_201);
  expect(known.filter((state) => state === "waiting")).toHaveLength(299);
  for (const story of ["chain-0", "chain-1"]) {
    const claim = await jobs.claim([]);
    expect(claim?.work?.story).toBe(story);
    if (claim) await jobs.complete(claim);
  }
  expect((await jobs.claim(["web"]))?.work?.story).toMatch(/^loose-/);
  expect(await jobs.claim(["gpu"])).toBeUndefined();
});

it("gives a member with labels only stories with one of them", async () => {
  const { jobs } = await newQueue();
  await jobs.enqueue([
    queued("plain", { priority: 0 }),
    queued("page", { labels: ["web", "css"], priority: 1 }),
    queued("model", { labels: ["gpu"], priority: 2 }),
  ]);
  expect((await jobs.claim(["gpu"]))?.work?.story).toBe("model");
  expect((await jobs.claim(["css"]))?.work?.story).toBe("page");
  expect(await jobs.claim(["css", "gpu"])).toBeUndefined();
  expect((await jobs.claim([]))?.work?.story).toBe("plain");
});

it("shows a row that no Saga wrote as a claim without work", async () => {
  const { jobs, database } = await newQueue();
  await jobs.enqueue([queued("cart")]);
  await database.query(`UPDATE ${SCHEMA}.job SET data = '{"story": "$(touch pwned)"}'`);
  expect(await jobs.list()).toEqual([]);
  expect(await jobs.claim([])).toMatchObject({ work: undefined });
});

it("takes a parked story up again when it is queued, so that what depends on it can start", async () => {
  const { jobs } = await newQueue();
  const plan = [queued("cart"), queued("order", { after: ["cart"] })];
  await jobs.enqueue(plan);
  const first = await jobs.claim([]);
  if (first) await jobs.park(first, "person");
  expect(await states(jobs)).toEqual({ cart: "parked", order: "waiting" });
  expect(await jobs.enqueue(plan)).toEqual(["cart"]);
  expect(await jobs.list()).toHaveLength(2);
  const again = await jobs.claim([]);
  expect(again?.work?.story).toBe("cart");
  if (again) await jobs.complete(again);
  expect((await jobs.claim([]))?.work?.story).toBe("order");
});

it("lets the role of a member do all that a member does with its own queue, and nothing with another's", async () => {
  const { jobs, database, url } = await newQueue();
  await database.query("CREATE SCHEMA saga_shop");
  const role = `member_${url.slice(-12)}`;
  await database.query(`CREATE ROLE ${role} LOGIN`);
  for (const grant of grantsFor("shop", role)) await database.query(grant);
  await jobs.enqueue([queued("cart"), queued("price"), queued("order")]);
  const other = await openJobs(database, { schema: "saga_blog_jobs", migrate: true });
  onTestFinished(() => other.close());
  await asking(url.replace("saga@", `${role}@`), async (as) => {
    const member = await openJobs(as, { schema: SCHEMA, supervise: true });
    const [cart, price, order] = [
      await member.claim([]),
      await member.claim(["web"]),
      await member.claim([]),
    ];
    expect([cart?.work?.story, price, order?.work?.story]).toEqual(["cart", undefined, "price"]);
    if (cart === undefined || order === undefined) throw new Error("nothing was claimed");
    await member.touch([cart, order]);
    await member.complete(cart);
    await member.park(order, "person");
    expect(await member.unpark("price")).toBe(true);
    await member.close();
    const refused = openJobs(as, { schema: "saga_blog_jobs" }).then((blog) => blog.claim([]));
    await expect(refused).rejects.toThrow(/permission denied/);
  });
  expect(await states(jobs)).toMatchObject({ cart: "done", price: "queued", order: "queued" });
});
