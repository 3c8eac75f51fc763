import { expect, it } from "vitest";
import { unlistedWarning } from "./story-base.ts";

const place = { target: "main", epicId: "shop", storyId: "shop--cart" };
const epic = (...ids: readonly string[]): string =>
  JSON.stringify({
    id: "shop",
    title: "Shop",
    description: "A shop.",
    children: ids.map((id) => ({ id, blockedBy: [] })),
  });

it("a story that its epic lists on the target is no news", () => {
  expect(unlistedWarning(epic("shop--list", "shop--cart"), place)).toEqual([]);
});

it.each([
  ["without the story", epic("shop--list")],
  ["missing", ""],
  ["broken", "{"],
])(
  "warns of an epic's file on the target that is %s: GitHub's button would lose the entry",
  (_, text) => {
    const [warning = ""] = unlistedWarning(text, place);
    expect(warning).toContain("shop--cart is not listed by its epic shop on main.");
    expect(warning).toContain("commit and push .saga/epics/shop yourself");
  },
);
