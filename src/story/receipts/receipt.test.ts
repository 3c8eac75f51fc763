import { expect, it } from "vitest";
import { aReceipt } from "../../../test/support/receipts.ts";
import { receiptSchema, withoutSecrets } from "./receipt.ts";

it("nothing that a receipt quotes shows a secret", () => {
  const receipt = aReceipt({
    gate: "check",
    command: "curl -H hunter2",
    isPassed: false,
    how: "exit 1 with hunter2",
    tail: "password: hunter2",
    findings: [{ rule: "secret", key: "x", file: "a.ts", message: "hunter2 is a secret." }],
  });
  const redacted = withoutSecrets(receipt, (text) => text.replaceAll("hunter2", "…"));
  expect(JSON.stringify({ ...redacted, command: "" })).not.toContain("hunter2");
  expect(receiptSchema.safeParse(redacted).success).toBe(true);
});
