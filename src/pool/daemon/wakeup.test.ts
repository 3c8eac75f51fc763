import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { newBell, ringWhenChanged } from "./wakeup.ts";

const FOREVER_MS = 50_000;

it("wakes whoever waits", async () => {
  const bell = newBell();
  const woken = bell.next(FOREVER_MS);
  bell.ring();
  await expect(woken).resolves.toBeUndefined();
});

it("keeps a ring for the next who waits, once", async () => {
  const bell = newBell();
  bell.ring();
  bell.ring();
  await bell.next(FOREVER_MS);
  const from = performance.now();
  await bell.next(20);
  expect(performance.now() - from).toBeGreaterThan(10);
});

it("rings when a file in a folder is replaced", async () => {
  const { path } = newFolder();
  const bell = newBell();
  const end = ringWhenChanged(path, bell);
  const woken = bell.next(FOREVER_MS);
  writeFileSync(join(path, "order.json"), "{}");
  await expect(woken).resolves.toBeUndefined();
  end();
});

it("does without where there is nothing to watch", () => {
  expect(() => ringWhenChanged("/no/such/folder", newBell())()).not.toThrow();
});
