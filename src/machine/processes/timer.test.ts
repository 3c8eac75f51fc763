import { describe, expect, it } from "vitest";
import { MAX_TIMER_MS, pause, waitUntil } from "./timer.ts";

describe("waiting for a condition", () => {
  it("ends as soon as the condition holds", async () => {
    let polls = 0;
    expect(await waitUntil(() => ++polls === 3, { maxMs: 10_000, pollMs: 1 })).toBe(true);
    expect(polls).toBe(3);
  });

  it("gives up after its time, having looked at least once", async () => {
    let polls = 0;
    expect(await waitUntil(() => (++polls, false), { maxMs: 0 })).toBe(false);
    expect(polls).toBe(1);
  });

  it("ends early when it is stopped", async () => {
    const stop = new AbortController();
    const isStopped = (): boolean => {
      stop.abort();
      return false;
    };
    const limits = { maxMs: 60_000, pollMs: 60_000, stop: stop.signal };
    expect(await waitUntil(isStopped, limits)).toBe(false);
  });
});

it("a pause longer than any timer does not end at once", async () => {
  const stop = new AbortController();
  let hasEnded = false;
  const pausing = pause(MAX_TIMER_MS * 2, stop.signal).then(() => (hasEnded = true));
  await pause(20);
  expect(hasEnded).toBe(false);
  stop.abort();
  await pausing;
});
