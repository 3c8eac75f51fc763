import { describe, expect, it } from "vitest";
import { aReceipt } from "../../../test/support/receipts.ts";
import { latestOfTasks, receiptsFor } from "./latest-receipts.ts";

const TREE = aReceipt().tree;

describe("the receipts for a tree", () => {
  it("are the newest of each gate and command", () => {
    const old = aReceipt({ gate: "check", command: "npm test", isPassed: false });
    const now = aReceipt({ gate: "check", command: "npm test" });
    const lint = aReceipt({ gate: "check", command: "lint" });
    expect(receiptsFor([old, lint, now], TREE)).toEqual([now, lint]);
  });

  it("are not those of other code", () => {
    expect(receiptsFor([aReceipt({ tree: "b".repeat(40) })], TREE)).toEqual([]);
  });

  it("keep a task's check apart from the story's", () => {
    const story = aReceipt({ gate: "check", command: "npm test" });
    const task = aReceipt({ gate: "check", command: "npm test", task: "form" });
    expect(receiptsFor([story, task], TREE)).toEqual([story, task]);
  });
});

it("the receipts of tasks are the newest of each check, whatever code they were for", () => {
  const old = aReceipt({ gate: "check", command: "npm test", task: "form", isPassed: false });
  const now = { ...old, tree: "b".repeat(40), isPassed: true };
  const story = aReceipt({ gate: "check", command: "npm test" });
  expect(latestOfTasks([old, now, story])).toEqual([now]);
});
