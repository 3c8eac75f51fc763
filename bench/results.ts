// `bench/RESULTS.md`: the figures, with machine and date.

import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";
import { growthRow, SIZES, type Growth } from "./growth.ts";
import { renderFigures, renderTable, type Figure } from "./table.ts";

export interface Results {
  readonly figures: readonly Figure[];
  readonly growth: readonly Growth[];
  readonly claude: string;
  readonly tookMs: number;
  /** The machine's load before the start, caused by others. */
  readonly load: number;
}

export function renderResults({ figures, growth, claude, tookMs, load }: Results): string {
  const missed = figures.filter(({ isKept }) => !isKept).map(({ name }) => `- ${name.trim()}`);
  const head = [
    "what there is",
    ...SIZES.map((size) => size.toLocaleString("en")),
    "ten times more",
  ];
  return [
    "# What was measured",
    "Written by `npm run bench`, in one run. What counts is the ratio to the floor, the bare operation in the same run: machines differ.",
    `${machine(claude)}; load ${load.toFixed(1)} before it began. The run took ${(tookMs / 60_000).toFixed(1)} minutes.`,
    renderFigures(figures).trimEnd(),
    missed.length === 0 ? "Every goal was kept." : `Missed:\n\n${missed.join("\n")}`,
    "## How cost grows",
    "Whole commands as they are shipped, from the start of node to the last line.",
    renderTable(head, growth.map(growthRow)).trimEnd(),
    "",
  ].join("\n\n");
}

export interface TopicResults extends Pick<Results, "figures" | "claude" | "tookMs" | "load"> {
  /** The names of the topics, as on the command line. */
  readonly topics: readonly string[];
}

/** Replaces the section of these topics, which were measured without the others. A whole run removes it. */
export function withTopics(text: string, results: TopicResults): string {
  const { topics, figures, claude, tookMs, load } = results;
  const heading = `## Measured later: ${topics.join(", ")}`;
  const [before = "", after = ""] = text.split(`${heading}\n`);
  const next = after.indexOf("\n## ");
  const rest = next < 0 ? "" : after.slice(next + 1);
  return [
    before.trimEnd(),
    heading,
    `${machine(claude)}; load ${load.toFixed(1)} before it began. The run took ${(tookMs / 60_000).toFixed(1)} minutes.`,
    renderFigures(figures).trimEnd(),
    rest,
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n");
}

export const loadNow = (): number => loadavg()[0] ?? 0;

function machine(claude: string): string {
  const version = (program: string, word: string): string =>
    /\d+\.\d+[\w.]*/.exec(execFileSync(program, [word], { encoding: "utf8" }))?.[0] ?? "?";
  return [
    `${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    process.platform,
    `Node ${process.versions.node}`,
    `git ${version("git", "--version")}`,
    `tmux ${version("tmux", "-V")}`,
    `Claude Code ${version(claude, "--version")}`,
  ].join(", ");
}
