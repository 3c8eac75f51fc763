import { expect, it } from "vitest";
import { successText } from "./success-text.ts";

it("says what was done in one step", () => {
  expect(successText({ act: "accept", story: "a", merge: true })).toBe("Accepted and merged a.");
  expect(successText({ act: "reject", story: "a", why: "No.", run: true })).toBe(
    "Sent back a. It continues with your feedback.",
  );
});
