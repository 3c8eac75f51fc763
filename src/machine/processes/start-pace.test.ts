import { expect, it } from "vitest";
import { newStartPace, PACE_MS } from "./start-pace.ts";

/** A machine of two processors. */
function newMachine() {
  let atMs = 0;
  let idleMs = 0;
  const pace = newStartPace(
    () => atMs,
    () => ({ processors: 2, idleMs }),
  );
  const pass = (ms: number, idleShare: number): void => {
    atMs += ms;
    idleMs += ms * 2 * idleShare;
  };
  return { pace, pass };
}

it("starts one worker for each processor at once, and then looks first", () => {
  const { pace, pass } = newMachine();
  expect(pace.room()).toBe(2);
  expect(pace.room()).toBe(0);
  pass(PACE_MS - 1, 1);
  expect(pace.room()).toBe(0);
});

it("starts more while processors are idle", () => {
  const { pace, pass } = newMachine();
  pace.room();
  pace.started();
  pass(PACE_MS, 0.5);
  expect(pace.room()).toBe(2);
  pass(PACE_MS, 0.1);
  expect(pace.room()).toBe(0);
});

it("judges by what was idle since it last looked, not by older times", () => {
  const { pace, pass } = newMachine();
  pass(60_000, 1);
  pace.room();
  pace.started();
  pass(PACE_MS, 0);
  expect(pace.room()).toBe(0);
});

it("starts one after the other on a machine that stays busy", () => {
  const { pace, pass } = newMachine();
  pace.room();
  pace.started();
  const rooms = [1, 2, 3, 4, 5, 6].map(() => {
    pass(PACE_MS, 0);
    const room = pace.room();
    if (room > 0) pace.started();
    return room;
  });
  expect(rooms).toEqual([0, 0, 1, 0, 0, 1]);
});
