import { expect, it } from "vitest";
import { splitPlan } from "./insert-plan.ts";

const job = (ref: string, ...dependsOn: string[]) => ({ ref, name: "story", dependsOn });

it("keeps what depends on each other together", () => {
  const { linked, single } = splitPlan([job("a"), job("b", "a"), job("c"), job("d")]);
  expect(linked.map(({ ref }) => ref)).toEqual(["a", "b"]);
  expect(single.map(({ ref }) => ref)).toEqual(["c", "d"]);
  expect(splitPlan([])).toEqual({ linked: [], single: [] });
});
