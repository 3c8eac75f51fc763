import { expect, it } from "vitest";
import { stepText } from "./step-text.ts";

it("the words for a step say that it is repeated because the target moved", () => {
  expect(stepText({ name: "verify", round: 1 }, { branch: "main" })).not.toMatch(/ again$/);
  expect(stepText({ name: "verify", round: 2 }, { branch: "main" })).toMatch(/ again$/);
});
