import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";
import { waitForLease, type LeaseWait } from "./wait-for-lease.ts";

const WAITING: LeaseWait = { owner: "second", maxWaitMs: 50_000, pollMs: 5 };

it("waits until the holder releases the lease", async () => {
  const { leases } = openStore(newProject().path);
  const { lease } = await leases.acquire("merge", { owner: "first", ttlMs: 90_000 });
  const holders = new Set<string>();
  const waited = await waitForLease(leases, "merge", {
    ...WAITING,
    onWait({ owner }) {
      holders.add(owner);
      void lease?.release();
    },
  });
  expect(waited.kind).toBe("taken");
  expect([...holders]).toEqual(["first"]);
  if (waited.kind === "taken") await waited.lease.release();
  expect(await leases.list()).toEqual([]);
});

it("names the holder when the time is up", async () => {
  const { leases } = openStore(newProject().path);
  await leases.acquire("merge", { owner: "first", ttlMs: 90_000 });
  const waited = await waitForLease(leases, "merge", { ...WAITING, maxWaitMs: 0 });
  expect(waited).toMatchObject({ kind: "held", by: { owner: "first" } });
});

it("stops waiting when it is stopped", async () => {
  const { leases } = openStore(newProject().path);
  await leases.acquire("merge", { owner: "first", ttlMs: 90_000 });
  const stop = new AbortController();
  const onWait = (): void => stop.abort();
  const waited = await waitForLease(leases, "merge", { ...WAITING, onWait, stop: stop.signal });
  expect(waited).toEqual({ kind: "stopped" });
});
