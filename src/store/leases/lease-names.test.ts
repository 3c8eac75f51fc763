import { expect, it } from "vitest";
import {
  epicLease,
  isSlotLease,
  laneLease,
  slotLease,
  storyLease,
  storyOfLease,
} from "./lease-names.ts";

it("the name of a lease says what it is on", () => {
  expect(storyOfLease(storyLease("add-login"))).toBe("add-login");
  expect(isSlotLease(slotLease(3))).toBe(true);
  const others = [epicLease("shop"), slotLease(3), laneLease("lane-here-main-0"), "dashboard"];
  expect(others.map(storyOfLease)).toEqual(others.map(() => undefined));
  expect(
    [storyLease("auto-1"), epicLease("shop"), laneLease("lane-here-main-0")].filter(isSlotLease),
  ).toEqual([]);
});
