import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { newWakeup, wakeOnChange } from "./wakeup.ts";

/** Longer than a test may take: only a wake-up ends the wait. */
const FOREVER_MS = 600_000;

it("ends a wait", async () => {
  const wakeup = newWakeup();
  const woken = wakeup.next(FOREVER_MS);
  wakeup.wake();
  await expect(woken).resolves.toBeUndefined();
});

it("is remembered for the next wait, once", async () => {
  const wakeup = newWakeup();
  wakeup.wake();
  wakeup.wake();
  await wakeup.next(FOREVER_MS);
  const from = performance.now();
  await wakeup.next(20);
  expect(performance.now() - from).toBeGreaterThan(10);
});

it("comes when a file in a watched folder is written", async () => {
  const { path } = newFolder();
  const wakeup = newWakeup();
  const end = wakeOnChange(path, wakeup);
  const woken = wakeup.next(FOREVER_MS);
  writeFileSync(join(path, "order.json"), "{}");
  await expect(woken).resolves.toBeUndefined();
  end();
});

it("comes by time alone when the folder does not exist", () => {
  expect(() => wakeOnChange("/no/such/folder", newWakeup())()).not.toThrow();
});
