import { expect, it } from "vitest";
import { newRepository } from "../../test/support/repository.ts";
import { SagaError } from "../errors.ts";
import { openStore } from "../store/file-store.ts";
import type { Entry, Lane } from "../story/landing/entry.ts";
import type { LaneContext, LandingWork, Preparation } from "./landing.ts";
import { prepareBatch } from "./prepare-batch.ts";

const LANE: Lane = { branch: "main", place: "here" };

/** Prepares entries: the name of each says its outcome. */
async function prepared(...names: string[]) {
  const test = newRepository();
  const store = openStore(test.path);
  const entries: Entry[] = [];
  for (const name of names) {
    const entry = { kind: "story", name, lane: LANE, priority: 3, by: "saga merge" } as const;
    entries.push(await store.queue.enqueue({ ...entry, after: [], checks: [] }));
  }
  const released: string[] = [];
  const checkouts = new Set<unknown>();
  const work = (entry: Entry): LandingWork =>
    ({
      entry,
      landsAlone: entry.name.startsWith("alone"),
      release: async () => void released.push(entry.name),
    }) as LandingWork;
  const kind: LaneContext["kinds"]["story"] = async (context, entry): Promise<Preparation> => {
    checkouts.add(await context.busyCheckout());
    if (entry.name.startsWith("broken")) throw new SagaError("not-ready", "Not ready.");
    if (entry.name.startsWith("later")) return { kind: "wait", why: "later" };
    return { kind: "ready", work: work(entry) };
  };
  const context = {
    store,
    repository: await test.open(),
    kinds: { story: kind, epic: kind, task: kind },
  } as unknown as LaneContext;
  const { works, settled } = await prepareBatch(context, LANE, entries);
  const left = (await store.queue.list(LANE)).map(({ name }) => name);
  return { ready: works.map(({ entry }) => entry.name), settled, left, released, checkouts };
}

it("keeps the order, settles what cannot land, and leaves what waits in the queue", async () => {
  const { ready, settled, left, checkouts } = await prepared("a", "broken-b", "later-c", "d", "e");
  expect(ready).toEqual(["a", "d", "e"]);
  expect(settled).toBe(1);
  expect(left).toEqual(["a", "later-c", "d", "e"]);
  // All of them were given what was read once.
  expect(checkouts.size).toBe(1);
});

it("an entry that must land alone waits for the batch before it, and all after it wait too", async () => {
  const { ready, released } = await prepared("a", "alone-b", "c");
  expect(ready).toEqual(["a"]);
  expect(released.toSorted()).toEqual(["alone-b", "c"]);
});

it("an entry that must land alone is the whole batch if it is the first", async () => {
  const { ready, released } = await prepared("alone-a", "b");
  expect(ready).toEqual(["alone-a"]);
  expect(released).toEqual(["b"]);
});
