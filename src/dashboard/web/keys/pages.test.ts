import { expect, it } from "vitest";
import { FLEET_PAGE, PAGES } from "./pages.ts";

it("each page has its own key and address", () => {
  const all = [...PAGES, FLEET_PAGE];
  expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
  expect(new Set(all.map(({ href }) => href)).size).toBe(all.length);
});
