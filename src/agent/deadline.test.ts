import { once } from "node:events";
import { expect, it } from "vitest";
import { startDeadline } from "./deadline.ts";

const LONG_MS = 3600_000;
const never = new AbortController().signal;

it("aborts when the time is up, and says so", async () => {
  const deadline = startDeadline(1, never);
  await once(deadline.signal, "abort");
  expect(deadline.hasPassed()).toBe(true);
  deadline.clear();
});

it("aborts soon after the final answer, and the deadline has not passed then", async () => {
  const deadline = startDeadline(LONG_MS, never);
  deadline.allowGrace(1);
  await once(deadline.signal, "abort");
  expect(deadline.hasPassed()).toBe(false);
  deadline.clear();
});

it("aborts when its caller stops, also if that was before it started", () => {
  const stop = new AbortController();
  const deadline = startDeadline(LONG_MS, stop.signal);
  expect(deadline.signal.aborted).toBe(false);
  stop.abort();
  const late = startDeadline(LONG_MS, stop.signal);
  expect([deadline, late].map(({ signal, hasPassed }) => [signal.aborted, hasPassed()])).toEqual([
    [true, false],
    [true, false],
  ]);
  deadline.clear();
  late.clear();
});

it("does not abort early if it is longer than a timer can be", async () => {
  const deadline = startDeadline(1e12, never);
  const shortly = startDeadline(20, never);
  await once(shortly.signal, "abort");
  expect(deadline.signal.aborted).toBe(false);
  deadline.clear();
  shortly.clear();
});

it("does not abort after it is cleared", async () => {
  const stop = new AbortController();
  const deadline = startDeadline(1, stop.signal);
  deadline.allowGrace(1);
  deadline.clear();
  stop.abort();
  const later = startDeadline(20, never);
  await once(later.signal, "abort");
  expect(deadline.signal.aborted).toBe(false);
  later.clear();
});
