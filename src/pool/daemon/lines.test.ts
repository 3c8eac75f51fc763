import { expect, it } from "vitest";
import { tookLine } from "./lines.ts";

it("a subject that is a whole page is cut in a line", () => {
  const line = tookLine("auto-1", { id: "1", subject: "ä".repeat(5_000) });
  expect(line).toBe(`auto-1 took 1 "${"ä".repeat(119)}…"`);
});
