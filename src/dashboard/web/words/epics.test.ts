import { expect, it } from "vitest";
import { aShop } from "../../../../test/support/page/fixture.ts";
import type { EpicCard } from "../../protocol/messages.ts";
import { sumOf } from "./epics.ts";

it("totals an epic, and counts an unreadable story as not done", () => {
  const shop = aShop();
  const { checkout } = shop.epics as Record<"checkout", EpicCard>;
  const { [checkout.children[0]?.id ?? ""]: _, ...stories } = shop.stories;
  expect(sumOf(checkout, shop)).toMatchObject({ total: 5, done: 1, costUsd: 7.17 });
  expect(sumOf(checkout, { ...shop, stories }).tones.at(-1)).toEqual(["idle", 3]);
});
