import { describe, expect, it } from "vitest";
import { aReceipt } from "../../test/support/receipts.ts";
import { feedbackEntry, blockersOf, reworkTask } from "./accept.ts";

describe("what an approval has to override", () => {
  const finding = {
    rule: "protected",
    key: "modified a.yml",
    message: "It is protected.",
  } as const;
  const required = { checks: ["npm test"], needsTesting: true, needsReview: true, weakened: [] };

  it("is what the gate found, not what a tester or reviewer would say: the person has looked", () => {
    const failed = aReceipt({ gate: "check", command: "npm test", isPassed: false, how: "exit 1" });
    const review = aReceipt({ gate: "review", isPassed: false });
    const diff = aReceipt({ isPassed: false, findings: [finding] });
    const rules = blockersOf([diff, failed, review], required).map(({ rule }) => rule);
    expect(rules).toEqual(["protected", "check"]);
  });

  it("includes what an earlier approval overrode: it is judged again", () => {
    const overridden = {
      rules: [],
      objections: ["protected modified a.yml"],
      why: "x",
      who: "Ann",
    };
    const earlier = aReceipt({ gate: "person", overridden });
    const diff = aReceipt({ isPassed: false, findings: [finding] });
    expect(blockersOf([diff, earlier], { ...required, checks: [] })).toHaveLength(1);
  });
});

describe("feedback on a finished story", () => {
  it("becomes a task of its own each time", () => {
    expect(reworkTask("Larger font", [{ id: "form" }]).id).toBe("rework");
    const again = reworkTask("Smaller font", [{ id: "rework" }]);
    expect(again.id).not.toBe("rework");
    expect(again.description).toContain("Smaller font");
  });

  it("has its first line as the title in the journal, and the rest below", () => {
    expect(feedbackEntry("Larger font\n\nAt least 16 px.", "Ann")).toEqual({
      kind: "feedback",
      title: "Ann: Larger font",
      body: "At least 16 px.",
    });
  });
});
