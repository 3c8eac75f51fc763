// All figures in one run, as a table. Words: the project's root, a folder to work in.

import { join } from "node:path";
import { findClaude } from "../src/claude/find.ts";
import { claimFigures } from "./claims.ts";
import { dashboardFigures } from "./dashboard.ts";
import { graphFigures } from "./graph.ts";
import { listFigure } from "./list.ts";
import { pageFigures } from "./page.ts";
import { pluginFigures } from "./plugin.ts";
import { poolFigures } from "./pool.ts";
import { scanFigures } from "./scan.ts";
import { startFigure } from "./start.ts";
import { hookFigures, hydrateFigure, storyFigures } from "./story.ts";
import { renderTable, type Figure } from "./table.ts";
import { updateFigure } from "./update.ts";

const [root = ".", folder = "."] = process.argv.slice(2);
const saga = `${root}/dist/cli/main.cjs`;
const claude = findClaude(undefined, process.env, root)?.path ?? "claude";

const measurements: readonly (() => Promise<Figure[]>)[] = [
  async () => [await startFigure(saga)],
  () => pluginFigures(root, folder),
  // Before thousands of files are made, which the disk would still be busy with.
  async () => [await updateFigure(folder)],
  graphFigures,
  // The bundler puts it beside this one.
  () => claimFigures(join(import.meta.dirname, "claims-worker.mjs"), folder),
  () => scanFigures(folder),
  async () => [await listFigure(saga, folder)],
  async () => [await hydrateFigure(folder)],
  () => storyFigures({ saga, claude, folder }),
  () => hookFigures({ saga, claude, folder }),
  () => poolFigures(saga, folder),
  () => dashboardFigures(saga, folder),
  () => pageFigures(root, saga, folder),
];

const figures: Figure[] = [];
for (const measure of measurements) {
  process.stderr.write(".");
  figures.push(...(await measure()));
}
process.stderr.write("\n");
process.stdout.write(renderTable(figures));
if (figures.some((figure) => !figure.isKept)) process.exitCode = 1;
