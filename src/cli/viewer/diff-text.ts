// A diff for a terminal. The text comes from an agent, so it is made harmless first and coloured here.

import type { StoryDiff } from "../../dashboard/protocol/details.ts";
import { count } from "../../text/plural.ts";
import { block, plain, type Paint } from "../output/terminal.ts";

/** One line of a unified diff. Whether a `+++` line is a header depends on the lines before it. */
export function colouredDiff(diff: string, paint: Paint): string {
  let isHeader = true;
  return diff
    .split("\n")
    .map((line) => {
      if (line.startsWith("diff --git ")) isHeader = true;
      if (line.startsWith("@@")) isHeader = false;
      const safe = block(line);
      if (isHeader) return line === "" ? "" : paint("bold", safe);
      if (line.startsWith("@@")) return paint("cyan", safe);
      if (line.startsWith("+")) return paint("green", safe);
      if (line.startsWith("-")) return paint("red", safe);
      return safe;
    })
    .join("\n");
}

const MAX_BAR = 40;

/** A line per file with its size, like `git diff --stat`. */
export function diffStat({ files }: Pick<StoryDiff, "files">, paint: Paint): string {
  const width = Math.max(0, ...files.map(({ path }) => plain(path).length));
  const largest = Math.max(1, ...files.map(({ added, removed }) => added + removed));
  const scale = Math.min(1, MAX_BAR / largest);
  const size = (lines: number): number =>
    lines === 0 ? 0 : Math.max(1, Math.round(lines * scale));
  const rows = files.map(({ path, added, removed }) => {
    const counts = `${String(added).padStart(5)} ${String(removed).padStart(5)}`;
    const bar = `${paint("green", "+".repeat(size(added)))}${paint("red", "-".repeat(size(removed)))}`;
    return ` ${plain(path).padEnd(width)} ${counts} ${bar}`.trimEnd();
  });
  const sum = (of: "added" | "removed"): number =>
    files.reduce((total, file) => total + file[of], 0);
  const total = `${count(files.length, "file")} changed, ${sum("added")} added, ${sum("removed")} removed`;
  return `${[...rows, ` ${total}`].join("\n")}\n`;
}
