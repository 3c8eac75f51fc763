import { existsSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { withTaskLock } from "./lock.ts";

const aFile = () => {
  const { path, write } = newFolder();
  write("1.json", "{}");
  return { file: join(path, "1.json"), lock: join(path, "1.json.lock") };
};

it("holds the lock while it acts, and frees it also after an error", async () => {
  const { file, lock } = aFile();
  expect(await withTaskLock(file, () => existsSync(lock))).toBe(true);
  expect(existsSync(lock)).toBe(false);
  const broken = withTaskLock(file, () => Promise.reject(new Error("Disk full.")));
  await expect(broken).rejects.toThrow("Disk full.");
  expect(existsSync(lock)).toBe(false);
});

it("acts one after the other", async () => {
  const { file } = aFile();
  const order: string[] = [];
  const act = (name: string) => async () => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
  };
  await Promise.all([withTaskLock(file, act("a")), withTaskLock(file, act("b"))]);
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

it("does not act while another program holds the lock, and leaves the lock to it", async () => {
  const { file, lock } = aFile();
  mkdirSync(lock);
  const taken = withTaskLock(file, () => "acted", { waitMs: 0 });
  await expect(taken).rejects.toThrow(expect.objectContaining({ code: "in-use" }));
  expect(existsSync(lock)).toBe(true);
});

it("takes the lock of a program that died ten seconds ago", async () => {
  const { file, lock } = aFile();
  mkdirSync(lock);
  const before = Date.now() / 1000 - 11;
  utimesSync(lock, before, before);
  expect(await withTaskLock(file, () => "acted")).toBe("acted");
});
