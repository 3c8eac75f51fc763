import { expect, it } from "vitest";
import { pageTitle } from "./page-title.ts";

const facts = { named: undefined, project: "shop", waiting: 0 };

it("a tab is named by its page, its story or epic, or the id of one that is not loaded yet", () => {
  expect(pageTitle("/costs", facts)).toBe("Costs · shop · Saga");
  expect(pageTitle("/story/cart", { ...facts, named: "A cart" })).toBe("A cart · shop · Saga");
  expect(pageTitle("/story/cart", facts)).toBe("cart · shop · Saga");
  expect(pageTitle("/nowhere", { ...facts, project: undefined })).toBe("Saga");
});

it("a tab says how much waits for a person", () => {
  expect(pageTitle("/", { ...facts, waiting: 2 })).toBe("(2) Home · shop · Saga");
});
