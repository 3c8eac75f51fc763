import { assert, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { isAlive, newLockName, ownerOf } from "./lock-name.ts";

it("a name is never used twice, and names its owner", () => {
  const [one, other] = [newLockName(".write."), newLockName(".write.")];
  expect(one).not.toBe(other);
  expect(ownerOf(one)).toMatchObject({ pid: process.pid });
  expect(ownerOf(one)).toEqual(ownerOf(other));
  expect(ownerOf(".write.tmp")).toBeUndefined();
});

it("an owner is dead when its process, or the machine, was started again", () => {
  const owner = ownerOf(newLockName(".write."));
  assert(owner);
  expect(isAlive(owner, "/none")).toBe(true);
  expect(isAlive({ ...owner, startTime: "1" }, "/none")).toBe(false);
  expect(isAlive({ ...owner, boot: "other" }, "/none")).toBe(false);
});

it("an owner that cannot be seen from here counts as alive while its file is new", () => {
  const here = ownerOf(newLockName(".write."));
  assert(here);
  const owner = { ...here, place: "elsewhere" };
  expect(isAlive(owner, newFolder().write("lock", ""))).toBe(true);
  expect(isAlive(owner, "/none")).toBe(false);
});
