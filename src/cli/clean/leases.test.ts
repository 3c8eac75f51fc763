import { expect, it } from "vitest";
import { epicLease, slotLease, storyLease } from "../../store/leases/lease-names.ts";
import type { LeaseState } from "../../store/leases/leases.ts";
import { isOver } from "./leases.ts";

const over = (name: string, { purpose = "work", life = "dead", hasPool = false } = {}) =>
  isOver({ name, life, record: { purpose } } as unknown as LeaseState, hasPool);

it("keeps the lease of a dead worker, so that the next one recovers", () => {
  expect(over(storyLease("a"))).toBe(false);
  expect(over(storyLease("a"), { purpose: "command" })).toBe(true);
  expect(over(epicLease("a"))).toBe(true);
});

it("leaves the leases of a running pool to it", () => {
  expect(over(slotLease(1), { hasPool: true })).toBe(false);
  expect(over(slotLease(1))).toBe(true);
});

it("keeps every lease whose holder lives", () => {
  expect(over(epicLease("a"), { life: "alive" })).toBe(false);
});
