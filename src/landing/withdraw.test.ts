import { expect, it } from "vitest";
import { newProject } from "../../test/support/project.ts";
import { openStore } from "../store/file-store.ts";
import { laneLease } from "../store/leases/lease-names.ts";
import type { Lane } from "../story/landing/entry.ts";
import { laneId } from "./lane-id.ts";
import { withdraw } from "./withdraw.ts";

const MAIN: Lane = { branch: "main", place: "here" };
const STOPPED = { kind: "stopped" };

/** With an entry, and another process that owns the lane. */
async function opened() {
  const store = openStore(newProject().path);
  const { queue, leases } = store;
  const story = { kind: "story", name: "a", lane: MAIN, priority: 3, by: "saga merge" } as const;
  const entry = await queue.enqueue({ ...story, after: [], checks: [] });
  const name = laneLease(laneId(MAIN));
  const { lease } = await leases.acquire(name, { owner: "lander", ttlMs: 60_000 });
  return { store, queue, entry, lander: lease };
}

it("an entry that waits is taken out, and its lander does not land it", async () => {
  const { store, queue, entry } = await opened();
  expect(await withdraw(store, entry, STOPPED)).toEqual({ value: STOPPED });
  expect(await queue.list(MAIN)).toEqual([]);
  expect(await queue.markLanding(entry)).toBe(false);
});

it("an entry that is being landed has the outcome of that", async () => {
  const { store, queue, entry } = await opened();
  expect(await queue.markLanding(entry)).toBe(true);
  const withdrawn = withdraw(store, entry, STOPPED);
  await queue.settle(entry, { kind: "merged" });
  expect(await withdrawn).toEqual({ value: { kind: "merged" } });
});

it("an entry whose lander gives up is taken out", async () => {
  const { store, queue, entry } = await opened();
  await queue.markLanding(entry);
  const withdrawn = withdraw(store, entry, STOPPED);
  await queue.unmarkLanding(MAIN);
  expect(await withdrawn).toEqual({ value: STOPPED });
});

it("is uncertain if the lander was killed while it landed the entry", async () => {
  const { store, queue, entry, lander } = await opened();
  await queue.markLanding(entry);
  await lander?.release();
  expect(await withdraw(store, entry, STOPPED)).toBeUndefined();
  expect(await queue.list(MAIN)).toEqual([]);
});

it("does not replace an outcome that was written before", async () => {
  const { store, queue, entry } = await opened();
  await queue.settle(entry, { kind: "refused" });
  expect(await withdraw(store, entry, STOPPED)).toEqual({ value: { kind: "refused" } });
});
