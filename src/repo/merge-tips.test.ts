import { expect, it } from "vitest";
import { filesIn } from "./merge-tips.ts";

const entry = (stage: number, path: string): string => `100644 ${"a".repeat(40)} ${stage}\t${path}`;

it("a file in conflict is listed once, with the sides that have it", () => {
  expect(filesIn([entry(1, "a b"), entry(2, "a b"), entry(3, "a b"), entry(2, "mine")])).toEqual([
    { path: "a b", isInBase: true, isInOurs: true, isInTheirs: true },
    { path: "mine", isInBase: false, isInOurs: true, isInTheirs: false },
  ]);
});

it("other lines are skipped, and a name may contain a line break", () => {
  expect(filesIn(["", "Auto-merging a", entry(3, "two\nlines")])).toMatchObject([
    { path: "two\nlines", isInTheirs: true },
  ]);
});
