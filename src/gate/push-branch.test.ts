import { expect, it } from "vitest";
import { aReceipt } from "../../test/support/receipts.ts";
import { blockerKey } from "../story/receipts/blocker-key.ts";
import type { KeyedFinding } from "../story/receipts/receipt.ts";
import { refusedSecret } from "./push-branch.ts";

const asIs = (text: string): string => text;
const secret = (key: string): KeyedFinding => ({ rule: "secret", message: `Has ${key}.`, key });

const accepted = (...keys: readonly string[]) =>
  aReceipt({
    gate: "person",
    overridden: {
      rules: ["secret"],
      objections: keys.map((key) => blockerKey({ rule: "secret", key })),
      why: "An example.",
      who: "ada",
    },
  });

it("a secret is not pushed until a person has overridden exactly this one", () => {
  const found = [secret("a"), secret("b")];
  expect(refusedSecret(found, [], asIs)).toMatchObject({ key: "a" });
  expect(refusedSecret(found, [accepted("a")], asIs)).toMatchObject({ key: "b" });
  expect(refusedSecret(found, [accepted("a", "b")], asIs)).toBeUndefined();
});

it("a plain approval overrides no secret, and work that was sent back has none overridden", () => {
  const approval = aReceipt({ gate: "person" });
  const sentBack = aReceipt({ gate: "person", isPassed: false });
  expect(refusedSecret([secret("a")], [approval], asIs)).toBeDefined();
  expect(refusedSecret([secret("a")], [accepted("a"), sentBack], asIs)).toBeDefined();
});

it("other findings and missing checks do not stop a push: the work is only shared", () => {
  const tooLarge: KeyedFinding = { rule: "size", message: "9000 lines", key: "lines" };
  const failed = aReceipt({ gate: "check", command: "npm test", isPassed: false });
  expect(refusedSecret([tooLarge], [failed], asIs)).toBeUndefined();
});

it("the secret is not quoted in the refusal", () => {
  const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");
  const found = [{ ...secret("a"), message: "Has hunter2." }];
  expect(refusedSecret(found, [], redact)?.message).toContain("Has [redacted].");
});
