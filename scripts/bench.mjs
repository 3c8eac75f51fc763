// `npm run bench`: what we promise about speed, measured against the bare operation in one run, and written
// to bench/RESULTS.md. `npm run bench -- list hooks` measures only these, and writes them into a
// section of their own.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browser, root, setUp } from "./setup.mjs";

setUp({ programs: ["git", "tmux", browser] });

const { build } = await import("esbuild");
const folder = mkdtempSync(join(tmpdir(), "saga-bench-"));
// Where packages are found that cannot be bundled.
const outdir = join(root, "node_modules/.cache/saga-bench");
await build({
  entryPoints: ["main", "claims-worker", "crowd-page"].map((name) =>
    join(root, `bench/${name}.ts`),
  ),
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  mainFields: ["module", "main"],
  external: ["@anthropic-ai/claude-agent-sdk", "pg", "pg-boss", "playwright-core", "ws"],
  logLevel: "warning",
});
const { status } = spawnSync(
  process.execPath,
  [join(outdir, "main.mjs"), root, folder, ...process.argv.slice(2)],
  {
    stdio: "inherit",
  },
);
rmSync(folder, { recursive: true, force: true });
// Formats the written file like all others.
spawnSync(join(root, "node_modules/.bin/oxfmt"), [join(root, "bench/RESULTS.md")], { cwd: root });
process.exit(status ?? 1);
