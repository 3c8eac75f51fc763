import { expect, it } from "vitest";
import { viewOf } from "./job-view.ts";

const commit = "a".repeat(40);
const row = {
  id: "1",
  data: { root: commit, story: "cart", commit, merge: true },
  state: "created",
  output: {},
  blocked: false,
  retryCount: 0,
  createdOn: new Date(0),
  completedOn: null,
} as unknown as Parameters<typeof viewOf>[0];

it.each([
  [{}, { state: "queued", parked: undefined, attempts: 1 }],
  [{ blocked: true }, { state: "waiting" }],
  [
    { state: "retry", retryCount: 2 },
    { state: "queued", attempts: 3 },
  ],
  [{ state: "active" }, { state: "active" }],
  [{ state: "completed" }, { state: "done", parked: undefined }],
  [
    { state: "cancelled", output: { parked: "budget" } },
    { state: "parked", parked: "budget" },
  ],
  [
    { state: "cancelled", output: null },
    { state: "parked", parked: "person" },
  ],
  [
    { state: "failed", output: { parked: "<b>" } },
    { state: "parked", parked: "person" },
  ],
] as const)("shows a job with %j as %j", (more, expected) => {
  expect(viewOf({ ...row, ...more } as typeof row)).toMatchObject(expected);
});
