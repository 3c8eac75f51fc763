import { expect, it } from "vitest";
import { aShop } from "../../../../test/support/page/fixture.ts";
import { entryPlace } from "./entry-place.ts";

it("finds stories, epics and tasks of the pool, and shows any other name as it is", () => {
  const shop = aShop();
  expect(entryPlace(shop, "checkout--prices")).toEqual({
    title: "Prices with tax by country",
    href: "/story/checkout--prices",
  });
  expect(entryPlace(shop, "checkout")).toEqual({ title: "Checkout", href: "/epic/checkout" });
  const [task] = Object.values(shop.pool).flatMap(({ tasks }) => tasks);
  expect(entryPlace(shop, `auto-1/${task?.id}`)).toEqual({
    title: task?.subject,
    href: `/pool?task=${task?.id}`,
  });
  expect(entryPlace(shop, task?.id ?? "")).toEqual({ title: task?.id });
  expect(entryPlace(shop, "auto-1/gone")).toEqual({ title: "auto-1/gone" });
});
