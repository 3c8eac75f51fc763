import { expect, it } from "vitest";
import { attempt } from "./merge-steps.ts";

it("a failure after a merge is only a warning", async () => {
  const warnings: string[] = [];
  await attempt(warnings, () => Promise.reject(new Error("GitHub is down.")));
  await attempt(warnings, async () => "fine");
  expect(warnings).toEqual(["GitHub is down."]);
});
