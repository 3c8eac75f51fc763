import { expect, it } from "vitest";
import {
  keyOfCheck,
  sharedLane,
  storedBatch,
  storedEntry,
  storedNow,
  type EntryRow,
} from "./lane-rows.ts";

const COMMIT = "a".repeat(40);
const KEY = keyOfCheck("npm test");
const ROW: EntryRow = {
  id: "1767225600000-0000abcd",
  lane: "remote.main",
  kind: "story",
  name: "add-login",
  machine: "ann",
  body: { priority: 3, after: ["set-up"], checks: [KEY] },
  enqueued_at: new Date("2026-01-01T00:00:00Z"),
  held_by: null,
  is_left: false,
  outcome: null,
};

it("reads what Saga wrote", () => {
  const at = "2026-01-01T00:00:00.000Z";
  expect(storedEntry(ROW)).toEqual({
    entry: {
      id: ROW.id,
      kind: "story",
      name: "add-login",
      lane: { branch: "main", place: "remote" },
      machine: "ann",
      priority: 3,
      after: ["set-up"],
      checks: [KEY],
      by: "saga merge",
      enqueuedAt: at,
    },
    outcome: undefined,
  });
  const landed = { kind: "landed", tip: COMMIT, onto: COMMIT, commit: COMMIT };
  expect(storedEntry({ ...ROW, outcome: landed })?.outcome).toEqual(landed);
});

it.each<[string, Partial<EntryRow>]>([
  ["a lane of one machine", { lane: "here.main" }],
  ["a lane with an odd name", { lane: "remote.%6dain" }],
  ["a branch that is an option", { lane: "remote.--upload-pack%3Dx" }],
  ["a branch that leads elsewhere", { lane: "remote.a..b" }],
  ["the task of a pool", { kind: "task", name: "auto-1/3" }],
  ["a name that is a path", { name: "../../x" }],
  ["an id that is a path", { id: "../../x" }],
  ["an odd machine", { machine: "ann\u001b[2J" }],
  ["a body that is none", { body: null }],
  ["a command instead of its hash", { body: { priority: 3, after: [], checks: ["rm -rf /"] } }],
  ["an odd dependency", { body: { priority: 3, after: ["a b"], checks: [] } }],
  ["an outcome of no kind", { outcome: { kind: "merged", text: "x" } }],
  [
    "a commit that is an option",
    { outcome: { kind: "landed", tip: "-x", onto: COMMIT, commit: COMMIT } },
  ],
])("ignores %s", (_, change) => {
  expect(storedEntry({ ...ROW, ...change })).toBeUndefined();
});

it("takes nothing from a row that it does not know", () => {
  const body = { ...(ROW.body as object), work: { branch: "x" }, updateCheckouts: true, by: "x" };
  const entry = storedEntry({ ...ROW, body, held_by: "Ada\u001b[2J" })?.entry;
  expect(entry).not.toHaveProperty("work");
  expect(entry).not.toHaveProperty("updateCheckouts");
  expect(entry).toMatchObject({ by: "saga merge", heldBy: "Ada [2J" });
});

it("ignores batches and steps with texts or paths in them", () => {
  const now = { entries: ["a"], step: "verify", startedAt: "2026-01-01T00:00:00.000Z" };
  expect(storedNow({ ...now, command: KEY })?.command).toBe(KEY);
  expect(storedNow({ ...now, command: "rm -rf /" })).toBeUndefined();
  expect(storedNow({ ...now, output: "/etc/passwd" })).not.toHaveProperty("output");
  expect(storedNow({ ...now, entries: ["a b"] })).toBeUndefined();
  const batch = { at: now.startedAt, ms: 1, from: COMMIT, to: COMMIT, landed: ["a"], checks: [] };
  expect(storedBatch(batch)).toMatchObject({ landed: ["a"], flaky: [] });
  expect(storedBatch({ ...batch, to: "main" })).toBeUndefined();
  expect(storedBatch({ ...batch, flaky: ["a command"] })).toBeUndefined();
});

it("knows the lanes that machines share", () => {
  expect(sharedLane("remote.epic%2Fshop")).toEqual({ branch: "epic/shop", place: "remote" });
  expect([sharedLane("here.main"), sharedLane("x")]).toEqual([undefined, undefined]);
});
