import { expect, it } from "vitest";
import { ifStopped, messageOf, messageWithHint, SagaError, stoppedError } from "./errors.ts";

it("only work that was stopped has no result; every other error is thrown again", () => {
  expect(ifStopped(stoppedError())).toBeUndefined();
  const bug = new SagaError("bug", "Broken.");
  expect(() => ifStopped(bug)).toThrow(bug);
  expect(() => ifStopped("text")).toThrow("text");
});

it("anything that was thrown has a message, and only Saga's errors a hint", () => {
  expect(messageOf("text")).toBe("text");
  expect(messageWithHint(new SagaError("usage", "No.", { hint: "Try this." }))).toBe(
    "No. Try this.",
  );
  expect(messageWithHint(new Error("No."))).toBe("No.");
});
