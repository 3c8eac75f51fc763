import { expect, it } from "vitest";
import { isOwnPlace } from "./situation.ts";

it("knows its own place, in this project and where the project was before", () => {
  expect(isOwnPlace("one", "/project/.saga/worktrees/one")).toBe(true);
  expect(isOwnPlace("one", "/moved/elsewhere/.saga/worktrees/one")).toBe(true);
  expect(isOwnPlace("one", "/project/.saga/worktrees/stories/one")).toBe(true);
  expect(isOwnPlace("shop--cart", "/project/.saga/worktrees/shop/cart")).toBe(true);
});

it("takes no other worktree for its own", () => {
  expect(isOwnPlace("one", "/project/.saga/worktrees/one-more")).toBe(false);
  expect(isOwnPlace("one", "/project/.saga/worktrees/stand-one")).toBe(false);
  expect(isOwnPlace("one", "/project/one")).toBe(false);
});
