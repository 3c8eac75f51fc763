import { describe, expect, it } from "vitest";
import { aCard, aShop } from "../../../../test/support/page/fixture.ts";
import { filterStories, looseStories, readFilter, writeFilter } from "./story-filter.ts";

const stories = Object.values(aShop().stories);

describe("the story filter", () => {
  const read = (text: string) => readFilter(new URLSearchParams(text));

  it("round-trips through the address", () => {
    const filter = { search: "tax & more", state: "needs-you" } as const;
    expect(read(writeFilter(filter))).toEqual(filter);
    expect(writeFilter({ search: "", state: "all" })).toBe("");
    expect(read("state=nonsense")).toEqual({ search: "", state: "all" });
  });

  it("finds by title, id and label", () => {
    const find = (search: string) =>
      filterStories(stories, { search, state: "all" }).map(({ id }) => id);
    expect(find("money")).toEqual(["checkout--payment", "checkout--prices"]);
    expect(find("SIGN mail")).toEqual(["accounts--sign-in"]);
  });

  it("sorts stories that need a person first, then running ones", () => {
    const states = filterStories(stories, { search: "", state: "all" }).map(({ state }) => state);
    expect(states.slice(0, 5)).toEqual(["blocked", "failed", "review", "running", "running"]);
  });
});

it("loose stories are open, without an epic, and in no other section of Home", () => {
  const cards = [
    aCard("loose", "Loose", "waiting"),
    aCard("next", "Ready to start", "ready"),
    aCard("lost", "Its epic is gone", "pending", { epic: "no-such-epic" }),
    aCard("held", "Its epic shows it", "ready", { epic: "checkout" }),
    aCard("asks", "Needs you", "failed"),
    aCard("works", "Runs", "running"),
    aCard("done", "Completed", "completed"),
  ];
  const shown = { ...aShop(), stories: Object.fromEntries(cards.map((card) => [card.id, card])) };
  expect(looseStories(shown).map(({ id }) => id)).toEqual(["loose", "lost"]);
});
