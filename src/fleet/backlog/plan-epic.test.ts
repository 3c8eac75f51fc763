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

it("leaves what needs a person or was discarded to people, if no one asked for the epic", () => {
  const states = {
    cart: "ready",
    price: "limit",
    order: "stopped",
    mail: "blocked",
    gone: "ready",
    back: "sent-back",
    dead: "killed",
  } as const;
  const children = Object.keys(states).map((id) => ({ id, blockedBy: [] }));
  const stories = new Map(Object.entries(states).map(([id, state]) => [id, { state, story }]));
  const reasons = (discarded?: ReadonlySet<string>) =>
    planEpic({ id: "shop", children }, stories, { ...PLAN, discarded }).map(({ parked }) => parked);
  expect(reasons()).toEqual(children.map(() => undefined));
  expect(reasons(new Set(["gone"]))).toEqual([
    undefined,
    "person",
    "person",
    "person",
    "discarded",
    undefined,
    undefined,
  ]);
});
