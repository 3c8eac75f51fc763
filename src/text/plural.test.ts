import { describe, expect, it } from "vitest";
import { count } from "./plural.ts";

describe("count", () => {
  it("uses the singular for one", () => {
    expect([0, 1, 2].map((amount) => count(amount, "task"))).toEqual([
      "0 tasks",
      "1 task",
      "2 tasks",
    ]);
    expect(count(1, "story", "stories")).toBe("1 story");
    expect(count(3, "story", "stories")).toBe("3 stories");
  });
});
