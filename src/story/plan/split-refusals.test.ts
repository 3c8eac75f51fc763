import { describe, expect, it } from "vitest";
import { aPart as part } from "../../../test/support/parts.ts";
import { CHAIN, HOUSE, problems, split } from "../../../test/support/split-house.ts";
import type { Part } from "./split-proposal.ts";

describe("a proposal is refused, with what to do,", () => {
  const wrong: [what: string, proposal: Part[], says: RegExp][] = [
    ["when an id is taken", [part("ground"), part("x")], /The task ground already exists\. Choose/],
    [
      "when it uses the id of the split task",
      [part("big"), part("x")],
      /The task big already exists/,
    ],
    ["when an id is proposed twice", [part("x"), part("x")], /x is proposed twice\./],
    [
      "when one waits for a task outside",
      [part("x", { blockedBy: ["ground"] }), part("y")],
      /x waits for ground, which is not one of the new tasks\. Remove it/,
    ],
    [
      "when one waits for an unknown task",
      [part("x", { blockedBy: ["nowhere"] }), part("y")],
      /x waits for nowhere, .* Name one of the new tasks/,
    ],
    [
      "when they wait for each other",
      [part("x", { blockedBy: ["y"] }), part("y", { blockedBy: ["x"] })],
      /wait for each other: [xy] → [xy] → [xy]\./,
    ],
    ["when one waits for itself", [part("x", { blockedBy: ["x"] }), part("y")], /x → x/],
    [
      "when one has too many files",
      [part("x", { writeFiles: ["1", "2", "3", "4", "5", "6"] }), part("y")],
      /x changes 6 files; at most 5 are allowed\. Make it smaller/,
    ],
    [
      "when one has too many lines",
      [part("x", { estimatedLines: 201 }), part("y")],
      /x changes 201 lines/,
    ],
    [
      "when one declares no files",
      [part("x", { writeFiles: [] }), part("y")],
      /x declares no files/,
    ],
  ];
  it.each(wrong)("%s", (_, proposal, says) => {
    for (const finished of [true, false]) {
      const found = problems(split(HOUSE, proposal, finished));
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(says);
    }
  });

  it("with all of its problems at once", () => {
    const found = problems(
      split(HOUSE, [part("ground", { estimatedLines: 999 }), part("y", { blockedBy: ["roof"] })]),
    );
    expect(found).toHaveLength(3);
  });

  it("when the task is completed, or does not exist", () => {
    const tasks = new Map(HOUSE).set("big", { ...HOUSE.get("big"), status: "completed" });
    expect(problems(split(tasks, CHAIN))).toEqual([
      "The task big is completed. Only a task that is not completed can be split.",
    ]);
    expect(problems(split(new Map(), CHAIN))[0]).toContain("There is no task big");
  });
});
