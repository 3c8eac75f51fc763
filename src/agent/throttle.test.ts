import { expect, it } from "vitest";
import { throttle } from "./throttle.ts";

const never = (error: unknown): void => {
  throw error;
};

/** An action that reports each of its runs, and ends when the test says so. */
function heldAction() {
  const runs: (() => void)[] = [];
  const started: ((count: number) => void)[] = [];
  return {
    runs,
    act: () =>
      new Promise<void>((resolve) => {
        runs.push(resolve);
        started.shift()?.(runs.length);
      }),
    nextStart: () => new Promise<number>((resolve) => started.push(resolve)),
  };
}

it("runs once for several requests, and once more for requests during a run", async () => {
  const { act, runs, nextStart } = heldAction();
  const throttled = throttle(act, 0, never);
  const first = nextStart();
  throttled.request();
  throttled.request();
  expect(await first).toBe(1);
  throttled.request();
  throttled.request();
  expect(runs).toHaveLength(1);
  const second = nextStart();
  runs[0]?.();
  expect(await second).toBe(2);
  runs[1]?.();
  await throttled.end();
  expect(runs).toHaveLength(2);
});

it("waits for a running action when it ends, and starts no other", async () => {
  const { act, runs, nextStart } = heldAction();
  const throttled = throttle(act, 0, never);
  const start = nextStart();
  throttled.request();
  await start;
  throttled.request();
  let hasEnded = false;
  const end = throttled.end().then(() => (hasEnded = true));
  await Promise.resolve();
  expect(hasEnded).toBe(false);
  runs[0]?.();
  await end;
  throttled.request();
  expect(runs).toHaveLength(1);
});

it("reports an error, and runs again", async () => {
  const errors: unknown[] = [];
  let runs = 0;
  await new Promise<void>((resolve) => {
    const throttled = throttle(
      async () => {
        if (++runs === 2) return resolve();
        throw new Error("disk full");
      },
      0,
      (error) => {
        errors.push(error);
        throttled.request();
      },
    );
    throttled.request();
  });
  expect(errors).toEqual([new Error("disk full")]);
});
