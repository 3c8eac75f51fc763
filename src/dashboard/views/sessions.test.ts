import { expect, it } from "vitest";
import { workerOf } from "./sessions.ts";

it("a worker of the pool is told from a story with such a name by the session's time", () => {
  expect(workerOf("saga-auto-2-1700000000000")).toBe("auto-2");
  expect(workerOf("saga-auto-2")).toBeUndefined();
  expect(workerOf("saga-auto-login-1700000000000")).toBeUndefined();
  expect(workerOf("saga-epic-auto-2-1700000000000")).toBeUndefined();
});
