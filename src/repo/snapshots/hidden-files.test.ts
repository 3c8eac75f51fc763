import { expect, it } from "vitest";
import { hiddenIn } from "./hidden-files.ts";

it("names files that git does not look at, and no others", () => {
  const listed = [
    "H normal",
    "h assumed unchanged",
    "S skipped",
    "s both",
    "M unmerged",
    "C changed",
  ];
  expect(hiddenIn(listed.map((entry) => `${entry}\0`).join(""))).toEqual([
    "assumed unchanged",
    "skipped",
    "both",
  ]);
  expect(hiddenIn("")).toEqual([]);
});
