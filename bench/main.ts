// All figures in one run, as tables, on the terminal and in RESULTS.md. Arguments: the project's root, a working folder,
// and the names of the wanted figures (default: all).

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findClaude } from "../src/claude/find.ts";
import { claimFigures } from "./claims.ts";
import { crowdFigures } from "./crowd.ts";
import { dashboardFigures } from "./dashboard.ts";
import { earlyWarningFigures } from "./early-warning.ts";
import { fleetFigures } from "./fleet.ts";
import { graphFigures } from "./graph.ts";
import { growth, growthRow, SIZES, type Growth } from "./growth.ts";
import { landingFigures } from "./landing.ts";
import { leaseFigures } from "./leases.ts";
import { listFigure } from "./list.ts";
import { overlapFigures } from "./overlap.ts";
import { fetchPeers, peersIn } from "./peers.ts";
import { pluginFigures } from "./plugin.ts";
import { poolFigures } from "./pool.ts";
import { reclaimFigures } from "./reclaim.ts";
import { loadNow, renderResults, withTopics } from "./results.ts";
import { scanFigures } from "./scan.ts";
import { startFigure } from "./start.ts";
import { hookFigures, hydrateFigure, storyFigures } from "./story.ts";
import { boundFigure, renderFigures, renderTable, type Figure } from "./table.ts";
import { updateFigure } from "./update.ts";
import { watchFigure } from "./watch.ts";

const [root = ".", folder = ".", ...wanted] = process.argv.slice(2);
const saga = join(root, "dist/cli/main.cjs");
const claude = findClaude(undefined, process.env, root)?.path ?? "claude";
const bench = { saga, claude, folder };
// The bundler puts them next to this file.
const claimer = join(import.meta.dirname, "claims-worker.mjs");
const page = join(import.meta.dirname, "crowd-page.mjs");
const peersFolder = join(root, "node_modules/.cache/saga-peers");
const peers = peersIn(peersFolder);

const measurements: Readonly<Record<string, () => Promise<Figure[]>>> = {
  start: async () => [await startFigure(saga)],
  plugin: () => pluginFigures(root, folder),
  // Before thousands of files are created, which would keep the disk busy.
  update: async () => [await updateFigure(folder, peers)],
  graph: graphFigures,
  claims: () => claimFigures(claimer, folder, peersFolder),
  leases: () => leaseFigures(folder),
  early: () => earlyWarningFigures(folder),
  scan: () => scanFigures(folder),
  watch: async () => [await watchFigure(folder, peers)],
  list: async () => [await listFigure(saga, folder, peers)],
  hydrate: async () => [await hydrateFigure(folder)],
  story: () => storyFigures(bench),
  hooks: () => hookFigures(bench),
  pool: () => poolFigures(saga, folder),
  landing: () => landingFigures(bench),
  overlap: () => overlapFigures(bench),
  dashboard: () => dashboardFigures(root, saga, folder),
  fleet: () => fleetFigures(root),
  reclaim: () => reclaimFigures(root, saga, folder),
  thirty: () => crowdFigures({ ...bench, page }, 30),
  sixty: () => crowdFigures({ ...bench, page }, 60),
};

/** A failure does not stop the others. */
const failed = (name: string, error: unknown): Figure => ({
  ...boundFigure(`${name}: ${String(error).split("\n")[0]}`, Number.NaN),
  ours: "failed",
  goal: "to be measured",
  isKept: false,
});

// Not part of what is measured.
fetchPeers(peersFolder);
const load = loadNow();
const started = performance.now();
/** Each takes four minutes more: only run when named. */
const ON_REQUEST: ReadonlySet<string> = new Set(["reclaim", "sixty"]);
const isWanted = (name: string): boolean =>
  wanted.length === 0 ? !ON_REQUEST.has(name) : wanted.includes(name);
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(measurements)) {
  if (!isWanted(name)) continue;
  process.stderr.write(`${name} `);
  figures.push(...(await measure().catch((error: unknown) => [failed(name, error)])));
}
let grown: Growth[] = [];
if (isWanted("growth")) {
  process.stderr.write("growth");
  grown = await growth(bench);
}
process.stderr.write("\n");
const tookMs = performance.now() - started;

if (figures.length > 0) process.stdout.write(renderFigures(figures));
if (grown.length > 0) {
  const head = ["growth", ...SIZES.map(String), "ten times more"];
  process.stdout.write(`\n${renderTable(head, grown.map(growthRow))}`);
}
process.stdout.write(`\nIn ${(tookMs / 60_000).toFixed(1)} minutes.\n`);
const file = join(root, "bench/RESULTS.md");
if (wanted.length === 0) {
  writeFileSync(file, renderResults({ figures, growth: grown, claude, tookMs, load }));
} else if (figures.length > 0) {
  const topics = { topics: wanted, figures, claude, tookMs, load };
  writeFileSync(file, withTopics(readFileSync(file, "utf8"), topics));
}
if (figures.some((figure) => !figure.isKept)) process.exitCode = 1;
