// Builds what is shipped into dist/: the small program that starts, every command as a module of its
// own, and the public types.

import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

/** @type {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  mainFields: ["module", "main"],
  target: "node20.19",
  legalComments: "none",
  logLevel: "warning",
};

// The start-up program is CommonJS, which starts sooner; what it loads later are modules beside it.
/** @type {import("esbuild").Plugin} */
const loadedLater = {
  name: "loaded-later",
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/.*\.ts$/ }, ({ kind, path }) =>
      kind === "dynamic-import"
        ? { path: path.replace(/\.ts$/, ".js"), external: true }
        : undefined,
    );
  },
};

rmSync(dist, { recursive: true, force: true });
const commands = readdirSync(join(root, "src/cli/commands"))
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => `src/cli/commands/${name}`);

await Promise.all([
  build({
    ...common,
    entryPoints: ["src/cli/main.ts"],
    outfile: join(dist, "cli/main.cjs"),
    format: "cjs",
    banner: { js: "#!/usr/bin/env node" },
    supported: { "dynamic-import": true },
    plugins: [loadedLater],
  }),
  build({
    ...common,
    entryPoints: [...commands, "src/cli/run-command.ts"],
    outdir: dist,
    outbase: "src",
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    // Some bundled packages are CommonJS and ask for Node's own modules at run time.
    banner: {
      js: 'import { createRequire as sagaRequire } from "node:module"; const require = sagaRequire(import.meta.url);',
    },
  }),
  build({
    ...common,
    entryPoints: ["src/types.ts"],
    outfile: join(dist, "types.js"),
    format: "esm",
    external: ["zod"],
  }),
]);
chmodSync(join(dist, "cli/main.cjs"), 0o755);

const compiler = join(root, "node_modules/typescript/bin/tsc");
const types = spawnSync(process.execPath, [compiler, "--project", "tsconfig.types.json"], {
  cwd: root,
  stdio: "inherit",
});
if (types.status !== 0) process.exit(1);
