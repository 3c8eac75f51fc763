import { expect, it } from "vitest";
import { ownerGuard } from "./owner-guard.ts";

const REFS = new Map([["refs/saga/lease/cart", "a".repeat(40)]]);
const LEASE = { fence: 7, record: { machine: "ann" } };

it("expects the owner's ref where it was read, and keeps the machine that has the story", () => {
  expect(ownerGuard(REFS, "cart", LEASE, "bob")).toMatchObject({
    ref: "refs/saga/lease/cart",
    from: "a".repeat(40),
    facts: { Fence: "7", Machine: "bob" },
  });
  expect(ownerGuard(REFS, "cart", LEASE)?.facts).toMatchObject({ Machine: "ann" });
});

it("guards nothing where the remote knows no owner, or outside of a fleet", () => {
  expect(ownerGuard(REFS, "price", LEASE)).toBeUndefined();
  expect(ownerGuard(REFS, "cart", { fence: 7, record: {} })).toBeUndefined();
});
