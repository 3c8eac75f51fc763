import { expect, it } from "vitest";
import { colouredDiff, diffStat } from "./diff-text.ts";
import type { Paint } from "../output/terminal.ts";

const named: Paint = (style, text) => (text === "" ? "" : `<${String(style)}>${text}`);
const none: Paint = (_, text) => text;

it("colours lines by their meaning, and a changed line that looks like a header as a change", () => {
  const diff = [
    "diff --git a/x b/x",
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +1,2 @@",
    " same",
    "--- gone",
    "+++ new",
  ].join("\n");
  expect(colouredDiff(diff, named).split("\n")).toEqual([
    "<bold>diff --git a/x b/x",
    "<bold>--- a/x",
    "<bold>+++ b/x",
    "<cyan>@@ -1,2 +1,2 @@",
    " same",
    "<red>--- gone",
    "<green>+++ new",
  ]);
});

it("shows no control characters of a file", () => {
  expect(colouredDiff("@@ -1 +1 @@\n+\u001b[31mred\u202e", none)).toBe("@@ -1 +1 @@\n+␛[31mred␛");
});

it("sums up files with a bar that is never wider than the screen, and never empty for a change", () => {
  const files = [
    { path: "a.ts", added: 1, removed: 0 },
    { path: "long/name.ts", added: 900, removed: 100 },
  ];
  expect(diffStat({ files }, none)).toBe(
    [
      " a.ts             1     0 +",
      ` long/name.ts   900   100 ${"+".repeat(36)}----`,
      " 2 files changed, 901 added, 100 removed",
      "",
    ].join("\n"),
  );
});
