import { expect, it } from "vitest";
import { conflictMessage, parseConflictRecord } from "./conflict-record.ts";

const record = { tip: "a1", onto: "b2", ours: "c3" };

it("is read as it was written", () => {
  expect(parseConflictRecord(conflictMessage("add-login", record))).toEqual(record);
});

it("is none if an id is missing or cut off: a merge must not begin from a wrong commit", () => {
  const message = conflictMessage("add-login", record);
  expect(parseConflictRecord("")).toBeUndefined();
  expect(parseConflictRecord(message.replace("Saga-Onto: b2\n", ""))).toBeUndefined();
  expect(parseConflictRecord(message.replace("c3", ""))).toBeUndefined();
});
