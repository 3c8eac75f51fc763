import { once } from "node:events";
import { expect, it } from "vitest";
import { giveTime } from "./deadline.ts";

const LONG_MS = 3600_000;
const never = new AbortController().signal;

it("ends when the time is up, and says so", async () => {
  const time = giveTime(1, never);
  await once(time.signal, "abort");
  expect(time.isUp()).toBe(true);
  time.forget();
});

it("ends soon after all is said, which is no delay of the agent's", async () => {
  const time = giveTime(LONG_MS, never);
  time.goodbye(1);
  await once(time.signal, "abort");
  expect(time.isUp()).toBe(false);
  time.forget();
});

it("ends with whoever gave it the time, also when they had stopped before", () => {
  const stop = new AbortController();
  const time = giveTime(LONG_MS, stop.signal);
  expect(time.signal.aborted).toBe(false);
  stop.abort();
  const late = giveTime(LONG_MS, stop.signal);
  expect([time, late].map(({ signal, isUp }) => [signal.aborted, isUp()])).toEqual([
    [true, false],
    [true, false],
  ]);
  time.forget();
  late.forget();
});

it("is no shorter when it is longer than a timer can be", async () => {
  const time = giveTime(1e12, never);
  const shortly = giveTime(20, never);
  await once(shortly.signal, "abort");
  expect(time.signal.aborted).toBe(false);
  time.forget();
  shortly.forget();
});

it("ends nothing any more when the agent is gone", async () => {
  const stop = new AbortController();
  const time = giveTime(1, stop.signal);
  time.goodbye(1);
  time.forget();
  stop.abort();
  const later = giveTime(20, never);
  await once(later.signal, "abort");
  expect(time.signal.aborted).toBe(false);
  later.forget();
});
