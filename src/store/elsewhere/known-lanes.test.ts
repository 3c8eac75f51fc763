import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import type { Lane, EntryRequest } from "../../story/landing/entry.ts";
import { layoutOf } from "../project/layout.ts";
import { openQueue } from "../queue/file-queue.ts";
import { readKnownLanes, saveKnownLanes, withKnownLanes, type KnownLane } from "./known-lanes.ts";

const AT = "2026-01-01T00:00:00.000Z";
const MAIN: Lane = { branch: "main", place: "remote" };
const story = (name: string): EntryRequest => ({
  kind: "story",
  name,
  lane: MAIN,
  priority: 3,
  by: "saga merge",
  after: [],
  checks: [],
});
const KNOWN: KnownLane = {
  lane: MAIN,
  entries: [{ ...story("theirs"), id: "0000000000001-00000000", enqueuedAt: AT, machine: "ann" }],
  now: { entries: ["theirs"], step: "compose", startedAt: AT, machine: "ann" },
  history: [{ at: AT, ms: 1, from: "a", to: "b", landed: ["x"], checks: [], flaky: [] }],
};

it("shows the entries of other machines beside those of this one", async () => {
  const at = layoutOf(newFolder().path);
  const queue = withKnownLanes(openQueue(at, Date.now), at);
  expect(await queue.lanes()).toEqual([]);
  saveKnownLanes(at, [KNOWN]);
  expect(await queue.lanes()).toEqual([MAIN]);
  const task = await queue.enqueue({ ...story("auto-1/3"), kind: "task" });
  expect(await queue.list(MAIN)).toEqual([...KNOWN.entries, task]);
  expect(await queue.now(MAIN)).toEqual(KNOWN.now);
  expect(await queue.history(MAIN)).toEqual(KNOWN.history);
  expect(await queue.list({ branch: "main", place: "here" })).toEqual([]);
  saveKnownLanes(at, []);
  expect(await queue.list(MAIN)).toEqual([task]);
});

it("writes only what has changed, and reads over what is no list of lanes", () => {
  const at = layoutOf(newFolder().path);
  saveKnownLanes(at, []);
  expect(existsSync(join(at.saga, "elsewhere"))).toBe(false);
  saveKnownLanes(at, [KNOWN]);
  expect(readKnownLanes(at)).toEqual([KNOWN]);
  writeFileSync(join(at.saga, "elsewhere/lanes.json"), '[{"lane":3}]');
  expect(readKnownLanes(at)).toEqual([]);
});
