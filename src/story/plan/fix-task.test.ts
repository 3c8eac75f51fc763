import { describe, expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import { aReceipt } from "../../../test/support/receipts.ts";
import { freeId, fixTask } from "./fix-task.ts";
import type { Receipt } from "../receipts/receipt.ts";

const receipt = (more: Partial<Receipt>): Receipt =>
  aReceipt({ gate: "check", isPassed: false, ...more });

describe("what a gate refuses", () => {
  it("is a task with the reason, which the same check has to pass", () => {
    const failed = receipt({ command: "npm test", how: "exit 1", tail: "1 failing" });
    const task = fixTask([receipt({ isPassed: true }), failed], new Set(["fix"]));
    expect(task).toMatchObject({ id: "fix-2", checks: ["npm test"], writeFiles: [] });
    expect(task?.description).toContain("`npm test` failed (exit 1):\n1 failing");
  });

  it("names the rules that were broken", () => {
    const findings = [{ rule: "undeclared" as const, file: "x", message: "x was added." }];
    const gate = { limits: defaults.gate, checks: [], writeFiles: ["src/**"] };
    const task = fixTask([receipt({ gate: "diff", findings })], new Set(), gate);
    expect(task?.subject).toBe("Fix what the gate refused");
    expect(task?.description).toMatch(/- undeclared: "x".*\n\n.*\n- Allowed files: .*`src\/\*\*`/);
    expect(task?.description).not.toContain("Protected files");
  });

  it("is one for what was found in the diff, or by a reviewer", () => {
    const findings = [{ rule: "protected" as const, file: "x", message: "x is protected." }];
    const task = fixTask([receipt({ gate: "diff", findings })], new Set());
    expect(task?.description).toContain('- protected: "x": x is protected.');
  });

  it.each([
    ["nothing was refused", [receipt({ isPassed: true })]],
    [
      "a secret is in the history",
      [receipt({ findings: [{ rule: "secret", message: "A key." }] })],
    ],
    ["nobody said what is wrong", [receipt({ gate: "test" })]],
  ])("is none when %s", (_, receipts) => {
    expect(fixTask(receipts, new Set())).toBeUndefined();
  });
});

it("a name that is taken gets a number", () => {
  expect(freeId("fix", new Set())).toBe("fix");
  expect(freeId("fix", new Set(["fix", "fix-2"]))).toBe("fix-3");
});
