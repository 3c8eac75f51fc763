import { expect, it } from "vitest";
import {
  epicLease,
  isSlotLease,
  MERGE_LEASE,
  slotLease,
  storyLease,
  storyOfLease,
} from "./lease-names.ts";

it("the name of a lease tells what it is on", () => {
  expect(storyOfLease(storyLease("add-login"))).toBe("add-login");
  expect(isSlotLease(slotLease(3))).toBe(true);
  const others = [epicLease("shop"), slotLease(3), MERGE_LEASE, "dashboard"];
  expect(others.map(storyOfLease)).toEqual(others.map(() => undefined));
  expect([storyLease("auto-1"), epicLease("shop"), MERGE_LEASE].filter(isSlotLease)).toEqual([]);
});
