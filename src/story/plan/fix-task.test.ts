import { describe, expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import { aReceipt } from "../../../test/support/receipts.ts";
import { freeId, fixTask } from "./fix-task.ts";
import type { Receipt } from "../receipts/receipt.ts";

const receipt = (more: Partial<Receipt>): Receipt =>
  aReceipt({ gate: "check", isPassed: false, ...more });

describe("a fix task", () => {
  it("has the reason, and the failed check as its own", () => {
    const failed = receipt({ command: "npm test", how: "exit 1", tail: "1 failing" });
    const task = fixTask([receipt({ isPassed: true }), failed], new Set(["fix"]));
    expect(task).toMatchObject({ id: "fix-2", checks: ["npm test"], writeFiles: [] });
    expect(task?.description).toContain("`npm test` failed (exit 1):\n1 failing");
  });

  it("repeats the broken rules", () => {
    const findings = [{ rule: "undeclared" as const, file: "x", message: "x was added." }];
    const gate = { limits: defaults.gate, checks: [], writeFiles: ["src/**"] };
    const task = fixTask([receipt({ gate: "diff", findings })], new Set(), gate);
    expect(task?.subject).toBe("Fix what the gate refused");
    expect(task?.description).toMatch(/- undeclared: "x".*\n\n.*\n- Allowed files: .*`src\/\*\*`/);
    expect(task?.description).not.toContain("Protected files");
  });

  it("is made for findings in the diff and of a reviewer", () => {
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
    ["no reason is known", [receipt({ gate: "test" })]],
  ])("is not made when %s", (_, receipts) => {
    expect(fixTask(receipts, new Set())).toBeUndefined();
  });
});

it("an id that is taken gets a number", () => {
  expect(freeId("fix", new Set())).toBe("fix");
  expect(freeId("fix", new Set(["fix", "fix-2"]))).toBe("fix-3");
});
