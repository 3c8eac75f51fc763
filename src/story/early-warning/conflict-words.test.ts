import { expect, it } from "vitest";
import { conflictWords } from "./conflict-words.ts";
import type { ConflictAhead } from "./conflicts-ahead.ts";

const since = "2030-01-01T00:00:00.000Z";
const PAIR: ConflictAhead = {
  story: "cart",
  with: { kind: "story", name: "till" },
  files: ["a.ts", "b.ts"],
  since,
};
const TARGET: ConflictAhead = { ...PAIR, with: { kind: "target", name: "main" } };

it("names both sides in a list, and the other side on the page of a story", () => {
  expect(conflictWords(PAIR).sides).toBe("cart and till");
  expect(conflictWords(PAIR, { from: "cart" }).sides).toBe("with till");
  expect(conflictWords(PAIR, { from: "till" }).sides).toBe("with cart");
  expect(conflictWords(TARGET).sides).toBe("cart and main");
  expect(conflictWords(TARGET, { from: "cart" }).sides).toBe("with main, its target");
});

it("names the first files, and counts those that are left out here or before", () => {
  expect(conflictWords(PAIR).files).toBe("a.ts, b.ts");
  expect(conflictWords(PAIR, { maxFiles: 1 }).files).toBe("a.ts and 1 more file");
  expect(conflictWords({ ...PAIR, moreFiles: 7 }, { maxFiles: 1 }).files).toBe(
    "a.ts and 8 more files",
  );
});

it("says what to do, with the commands", () => {
  expect(conflictWords(PAIR, { from: "till" }).advice).toBe(
    "You need not act while they run. Then merge the more urgent one first (`saga merge cart` or `saga merge till`); the agent of the other gets the conflict as a task.",
  );
  expect(conflictWords(TARGET).advice).toBe(
    "You need not act while it runs. Then `saga merge cart` gives the conflict to its agent as a task.",
  );
});
