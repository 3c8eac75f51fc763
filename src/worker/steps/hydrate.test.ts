import { expect, it } from "vitest";
import type { Status } from "../../story/definition/status.ts";
import { lostCompletions } from "./hydrate.ts";

const at = "2026-11-15T12:00:00.000Z";
const ALLOWED = [{ at, type: "task.passed", task: "form" }];
const LISTED = [
  { id: "form", status: "completed" },
  { id: "page", status: "completed" },
];
const statuses =
  (known: Readonly<Record<string, Status>>) =>
  (id: string): Status | undefined =>
    known[id];
const OPEN = statuses({ form: "in_progress", page: "pending" });

it("recovers a completion that was allowed and is in Claude's list", () => {
  expect(lostCompletions(LISTED, ALLOWED, OPEN)).toEqual(["form"]);
});

it.each([
  ["was never allowed", LISTED, [], OPEN],
  ["is not in the list", [{ id: "form", status: "in_progress" }], ALLOWED, OPEN],
  ["is already in the story", LISTED, ALLOWED, statuses({ form: "completed", page: "pending" })],
  ["is of a task that the story no longer has", LISTED, ALLOWED, statuses({ page: "pending" })],
])("does not recover a completion that %s", (_, listed, events, statusOf) => {
  expect(lostCompletions(listed, events, statusOf)).toEqual([]);
});
