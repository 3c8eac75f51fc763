import { expect, it } from "vitest";
import { aCard, nothingYet } from "../../../../test/support/page/fixture.ts";
import type { StoryCard } from "../../protocol/messages.ts";
import { columnCounts, lanesOf, readGrouping } from "./lanes.ts";

const cards: readonly StoryCard[] = [
  aCard("shop--cart", "Cart", "running", { epic: "shop", labels: ["money", "web"], priority: 1 }),
  aCard("shop--pay", "Pay", "review", { epic: "shop", labels: ["money"] }),
  aCard("loose", "Loose", "ready"),
  aCard("old", "Old", "completed", { isArchived: true }),
];
const entities = {
  stories: Object.fromEntries(cards.map((card) => [card.id, card])),
  epics: {
    ...nothingYet().epics,
    shop: {
      id: "shop",
      title: "Shop",
      status: "in_progress",
      children: [],
      isRunning: false,
      version: 1,
    },
  },
} as const;
const titles = (by: Parameters<typeof lanesOf>[1]) =>
  lanesOf(entities, by).map(({ title }) => title);

it("has one lane without a title, and leaves out archived stories", () => {
  const [lane] = lanesOf(entities, "none");
  expect(lane).toEqual({
    key: "",
    columns: {
      ready: ["loose"],
      running: ["shop--cart"],
      "needs-you": [],
      review: ["shop--pay"],
      landing: [],
      done: [],
    },
  });
});

it("groups by epic, label and priority, with the rest last", () => {
  expect(titles("epic")).toEqual(["Shop", "Without an epic"]);
  expect(titles("label")).toEqual(["money", "web", "Without a label"]);
  expect(titles("priority")).toEqual(["Priority 1", "Without a priority"]);
});

it("counts a story with two labels once", () => {
  expect(columnCounts(lanesOf(entities, "label"))).toMatchObject({
    running: 1,
    review: 1,
    ready: 1,
  });
});

it("reads the grouping from the address", () => {
  expect([readGrouping("label"), readGrouping("nonsense"), readGrouping(null)]).toEqual([
    "label",
    "none",
    "none",
  ]);
});
