import { expect, it } from "vitest";
import type { EpicCard } from "../protocol/messages.ts";
import { versionOf } from "./publish.ts";

const card = (version: number, title = "Shop"): EpicCard =>
  ({ id: "shop", title, version }) as EpicCard;

it("an epic's page is read again only when its card has changed", () => {
  expect(versionOf(undefined, card(0))).toBe(1);
  expect(versionOf(card(4), card(0))).toBe(4);
  expect(versionOf(card(4), card(0, "Shop 2"))).toBe(5);
});
