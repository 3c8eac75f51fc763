import { expect, it } from "vitest";
import { unionOfChecks, worksIn } from "./verify-batch.ts";

it("runs each check of a batch once, in the order of its entries", () => {
  const works = [{ checks: ["lint", "test a"] }, { checks: ["test b", "lint"] }];
  expect(unionOfChecks(works)).toEqual(["lint", "test a", "test b"]);
  expect(unionOfChecks([])).toEqual([]);
});

it("judges a candidate by the entries in it, and the target alone by the checks of all", () => {
  const works = ["one", "two", "three"];
  expect(worksIn(works, 1)).toEqual(["one"]);
  expect(worksIn(works, 3)).toEqual(works);
  expect(worksIn(works, 0)).toEqual(works);
});
