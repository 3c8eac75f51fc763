import { expect, it } from "vitest";
import { newLive } from "./entities.ts";
import type { ProblemCard, ToPage } from "../protocol/messages.ts";

const problem = (message: string): ProblemCard => ({ file: "a.json", message });
const about = { token: "t", version: "1" };

function listening() {
  const live = newLive();
  const told: ToPage[] = [];
  const leave = live.join((text) => told.push(JSON.parse(text) as ToPage));
  return { live, told, leave };
}

it("tells what is different, and nothing when nothing is", () => {
  const { live, told } = listening();
  live.put("problems", "one", problem("a"));
  live.tell();
  live.put("problems", "one", problem("a"));
  live.tell();
  expect(told).toEqual([
    {
      type: "change",
      sequence: 1,
      changes: [{ kind: "problems", id: "one", value: problem("a") }],
    },
  ]);
});

it("tells the last of several changes once", () => {
  const { live, told } = listening();
  for (const message of ["a", "b", "c"]) live.put("problems", "one", problem(message));
  live.tell();
  expect(told).toMatchObject([{ changes: [{ value: problem("c") }] }]);
});

it("counts without a gap, from the number of the snapshot", () => {
  const { live, told } = listening();
  live.put("problems", "one", problem("a"));
  live.tell();
  const snapshot = JSON.parse(live.snapshot(about)) as { sequence: number };
  live.put("problems", "two", problem("b"));
  live.tell();
  expect(snapshot.sequence).toBe(1);
  expect(told.at(-1)).toMatchObject({ sequence: 2 });
});

it("holds everything in a snapshot, and says what is gone", () => {
  const { live, told } = listening();
  live.putAll(
    "problems",
    new Map([
      ["one", problem("a")],
      ["two", problem("b")],
    ]),
  );
  live.putAll("problems", new Map([["two", problem("b")]]));
  live.tell();
  expect(JSON.parse(live.snapshot(about))).toEqual({
    type: "snapshot",
    sequence: 1,
    ...about,
    entities: {
      stories: {},
      epics: {},
      sessions: {},
      pool: {},
      problems: { two: problem("b") },
      project: {},
    },
  });
  expect(told).toMatchObject([{ changes: [{ id: "one", value: null }, { id: "two" }] }]);
});

it("tells nobody who has left", () => {
  const { live, told, leave } = listening();
  leave();
  live.put("problems", "one", problem("a"));
  live.tell();
  expect(told).toEqual([]);
});
