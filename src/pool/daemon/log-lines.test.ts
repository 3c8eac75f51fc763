import { expect, it } from "vitest";
import { tookLine } from "./log-lines.ts";

it("a very long subject is cut to one line", () => {
  const line = tookLine("auto-1", { id: "1", subject: "ä".repeat(5_000) });
  expect(line).toBe(`auto-1 started task 1 "${"ä".repeat(119)}…"`);
});
