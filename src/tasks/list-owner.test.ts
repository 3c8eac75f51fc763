import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { newRepository } from "../../test/support/repository.ts";
import { adoptList, foreignOwner, requireOwned, requireReadable } from "./list-owner.ts";

const newList = () => ({ listId: "notes", list: join(newFolder().path, "tasks", "notes") });
const refusal = {
  code: "in-use",
  message: expect.stringContaining("another repository") as string,
};

it("belongs to the first repository that uses it, and is refused to others", () => {
  const [place, one, other] = [newList(), newRepository(), newRepository()];
  requireReadable(place, other.path);
  requireOwned(place, one.path);
  requireOwned(place, one.path);
  for (const act of [requireReadable, requireOwned]) {
    expect(() => act(place, other.path)).toThrow(expect.objectContaining(refusal));
  }
  requireReadable(place, one.path);
  expect(readdirSync(place.list)).toEqual([".saga-owner"]);
});

it("belongs to all worktrees of a repository", () => {
  const [place, one] = [newList(), newRepository()];
  const worktree = join(newFolder().path, "tree");
  one.git("worktree", "add", "--quiet", "--detach", worktree);
  requireOwned(place, one.path);
  requireOwned(place, worktree);
  expect(foreignOwner(place.list, worktree)).toBeUndefined();
});

it("is adopted when it has no owner, when its owner is gone, and on command", () => {
  const [place, one, other, third] = [newList(), newRepository(), newRepository(), newRepository()];
  requireOwned(place, one.path);
  rmSync(one.path, { recursive: true });
  requireOwned(place, other.path);
  expect(foreignOwner(place.list, third.path)).toBe(join(other.path, ".git"));
  expect(adoptList(place, third.path)).toBe(join(other.path, ".git"));
  expect(() => requireOwned(place, other.path)).toThrow("belongs to another repository");
  requireOwned(place, third.path);
  expect(readdirSync(place.list)).toEqual([".saga-owner"]);
});

it("is free when its record is invalid", () => {
  const [place, one] = [newList(), newRepository()];
  requireOwned(place, one.path);
  writeFileSync(join(place.list, ".saga-owner"), "{");
  const other = newRepository();
  requireOwned(place, other.path);
  expect(foreignOwner(place.list, one.path)).toBe(join(other.path, ".git"));
});
