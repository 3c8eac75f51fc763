import { expect, it } from "vitest";
import { commitLines } from "./archive-move.ts";

it("says what was committed, and nothing if there was nothing to commit", () => {
  expect(commitLines({ kind: "nothing" }, "Archive")).toEqual([]);
  expect(commitLines({ kind: "committed", commit: "0123456789abcdef" }, "Archive")).toEqual([
    "Committed as 0123456789ab.",
  ]);
});

it("gives the commands for what a person has to commit", () => {
  const paths = [".saga/stories/one", ".saga/archive/one"];
  const lines = commitLines({ kind: "left", why: "a rebase is in progress", paths }, "Archive");
  expect(lines.join("\n")).toBe(
    [
      "Not committed: a rebase is in progress. Commit it before the next merge:",
      "  git add --all -- .saga/stories/one .saga/archive/one",
      '  git commit -m "Archive stories" -- .saga/stories/one .saga/archive/one',
    ].join("\n"),
  );
});
