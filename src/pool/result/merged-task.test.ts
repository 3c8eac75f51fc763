import { describe, expect, it } from "vitest";
import { aReceipt } from "../../../test/support/receipts.ts";
import { defaults } from "../../../test/support/default-settings.ts";
import { checksOf, isProof } from "./merged-task.ts";

const { tree } = aReceipt();
const diff = aReceipt({});
const check = aReceipt({ gate: "check", command: "npm test" });

describe("the proof that a task's work was merged", () => {
  it("needs the diff gate and every check on exactly that tree", () => {
    expect(isProof([diff, check], { tree, checks: ["npm test"] })).toBe(true);
    expect(isProof([check], { tree, checks: ["npm test"] })).toBe(false);
    expect(isProof([diff], { tree, checks: ["npm test"] })).toBe(false);
    expect(isProof([diff, check], { tree: "b".repeat(40), checks: [] })).toBe(false);
  });

  it("needs them passed", () => {
    const failed = { ...check, isPassed: false };
    expect(isProof([diff, failed], { tree, checks: ["npm test"] })).toBe(false);
    expect(isProof([{ ...diff, isPassed: false }, check], { tree, checks: [] })).toBe(false);
  });
});

it("the checks of a task are the pool's and its own, each once", () => {
  const settings = { ...defaults, auto: { ...defaults.auto, checks: ["npm test", "lint"] } };
  expect(checksOf({ settings }, { checks: ["npm test", "npm run e2e"] })).toEqual([
    "npm test",
    "lint",
    "npm run e2e",
  ]);
});
