import { expect, it } from "vitest";
import { SagaError } from "../errors.ts";
import { failureOf, requireOutcome } from "./failure.ts";

/** As the process that waits reads it. */
const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

it("an error is the same for the process that waits", () => {
  const error = new SagaError("in-use", "It is running.", { hint: "Wait." });
  expect(() => requireOutcome(written(failureOf(error)))).toThrow(error);
});

it("an unexpected error is a bug with its message", () => {
  const outcome = written(failureOf(new TypeError("no such thing")));
  expect(outcome).toEqual({ error: { code: "bug", message: "no such thing" } });
});

it("any other outcome is returned, and an unreadable one is an error", () => {
  expect(requireOutcome({ kind: "merged" })).toEqual({ kind: "merged" });
  expect(() => requireOutcome(undefined)).toThrow("cannot be read");
});
