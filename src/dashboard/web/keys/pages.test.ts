import { expect, it } from "vitest";
import { PAGES } from "./pages.ts";

it("each page has its own key and address", () => {
  expect(new Set(PAGES.map(({ key }) => key)).size).toBe(PAGES.length);
  expect(new Set(PAGES.map(({ href }) => href)).size).toBe(PAGES.length);
});
