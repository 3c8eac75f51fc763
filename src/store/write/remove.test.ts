import { expect, it } from "vitest";
import { childrenWithout, stampOf } from "./remove.ts";

it("an epic no longer lists a removed story, and no story waits for it", () => {
  const children = [
    { id: "one", blockedBy: [] },
    { id: "two", blockedBy: ["one"] },
    { id: "three", blockedBy: ["one", "two"] },
  ];
  expect(childrenWithout(children, "one")).toEqual([
    { id: "two", blockedBy: [] },
    { id: "three", blockedBy: ["two"] },
  ]);
  expect(childrenWithout(children, "four")).toEqual(children);
});

it("removed files have names that sort by time", () => {
  expect(stampOf(Date.UTC(2026, 10, 17, 19, 55, 43, 120))).toBe("20261117T195543");
});
