import { expect, it } from "vitest";
import { planEpic } from "./plan-epic.ts";

const PLAN = { root: "a".repeat(40), commit: "b".repeat(40), merge: true };
const story = { labels: ["web"], priority: 1 };

it("queues what is not merged, with what it waits for", () => {
  const children = [
    { id: "cart", blockedBy: [] },
    { id: "price", blockedBy: [] },
    { id: "order", blockedBy: ["cart", "price"] },
    { id: "gone", blockedBy: [] },
  ];
  const stories = new Map([
    ["cart", { state: "completed", story }],
    ["price", { state: "ready", story }],
    ["order", { state: "waiting", story }],
  ] as const);
  expect(planEpic({ id: "shop", children }, stories, PLAN)).toEqual([
    { ...PLAN, ...story, epic: "shop", story: "price", after: [] },
    { ...PLAN, ...story, epic: "shop", story: "order", after: ["cart", "price"] },
  ]);
});
