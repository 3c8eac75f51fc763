import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { newDelivery } from "../../../test/support/delivery.ts";

it("a branch that another checkout switches to counts as checked out", async () => {
  const delivery = await newDelivery();
  const at = join(dirname(delivery.test.path), "person's");
  delivery.work({ "new.txt": "new\n" });
  const was = delivery.target();
  const outcome = await delivery.deliver({
    verify: async () => {
      delivery.test.git("worktree", "add", "--quiet", at, "trunk");
      writeFileSync(join(at, "shared.txt"), "changed\n");
      return { isPassed: true };
    },
  });
  expect(outcome).toMatchObject({ kind: "checked-out", folder: at });
  expect(delivery.target()).toBe(was);
});

it("a checkout with an epic's pull request written by Saga is updated, and keeps it", async () => {
  const delivery = await newDelivery({ isRemote: false });
  const { test } = delivery;
  const file = ".saga/epics/shop/epic.json";
  delivery.meanwhile({ [file]: '{"id": "shop"}\n' });
  delivery.work({ "new.txt": "new\n" });
  const at = join(dirname(test.path), "person's");
  test.git("worktree", "add", "--quiet", at, "trunk");
  writeFileSync(join(at, file), '{"id": "shop", "pr": "local#1"}\n');
  expect(await delivery.deliver({ updateCheckouts: true })).toMatchObject({ kind: "merged" });
  expect(existsSync(join(at, "new.txt"))).toBe(true);
  expect(test.gitIn(at, "status", "--porcelain")).toBe(` M ${file}`);
  writeFileSync(join(at, "new.txt"), "mine\n");
  delivery.work({ "more.txt": "more\n" });
  expect(await delivery.deliver({ updateCheckouts: true })).toMatchObject({
    kind: "checked-out",
    why: "It has uncommitted changes: new.txt.",
  });
});
