import { expect, it } from "vitest";
import { flowOf, type QueuedStory } from "./job-flow.ts";

const queued = (story: string, more: Partial<QueuedStory> = {}): QueuedStory => ({
  root: "a".repeat(40),
  commit: "b".repeat(40),
  story,
  merge: true,
  labels: [],
  priority: 2,
  after: [],
  ...more,
});

it("waits for a merge by people with a job of its own", () => {
  const plan = flowOf([
    queued("cart", { merge: false }),
    queued("order", { merge: false, after: ["cart"] }),
  ]);
  expect(plan.map(({ ref, name, dependsOn }) => [ref, name, dependsOn])).toEqual([
    ["cart", "story", []],
    ["cart/merge", "merge", ["cart"]],
    ["order", "story", ["cart/merge"]],
    ["order/merge", "merge", ["order"]],
  ]);
});

it("keeps what is about the plan out of the rows", () => {
  const [job] = flowOf([queued("cart", { labels: ["web"], parked: "discarded" })]);
  expect(Object.keys(job?.data ?? {})).toEqual(["root", "commit", "story", "merge"]);
});
