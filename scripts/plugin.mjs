// Builds the scripts of the plugin into plugin/scripts/. They are committed, because a plugin is
// installed as it lies there; a test compares them with a fresh build.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { root } from "./setup.mjs";

export const HOOK_SCRIPTS = ["session-start", "scope", "shell", "task-sync", "task-gate"];

/** They start the program; hooks do not call them. */
export const PROGRAM_SCRIPTS = ["saga", "worker"];

/**
 * Files of their own, because most calls do without them.
 * @type {import("esbuild").Plugin}
 */
const rareIsApart = {
  name: "rare-is-apart",
  setup(bundler) {
    bundler.onResolve(
      { filter: /\/(?:shell-guard|git|check-settings)\.ts$/, namespace: "file" },
      ({ kind, path }) =>
        kind === "dynamic-import"
          ? { path: `./${path.replace(/^.*\/|\.ts$/g, "")}.cjs`, external: true }
          : undefined,
    );
  },
};

/** The text of each script, by its path from the top of the repository. */
export async function hookScripts() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [
      ...[...HOOK_SCRIPTS, ...PROGRAM_SCRIPTS].map((name) => `src/hook/${name}.ts`),
      "src/claude/shell-guard.ts",
      "src/machine/git.ts",
      "src/store/check-settings.ts",
    ],
    outdir: "plugin/scripts",
    entryNames: "[name]",
    plugins: [rareIsApart],
    // Required, not imported: the loader of modules alone costs more than the whole script.
    supported: { "dynamic-import": false },
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    // Starts sooner than a module.
    format: "cjs",
    target: "node20.19",
    minify: true,
    legalComments: "none",
    banner: { js: "// Built by `npm run plugin`." },
    write: false,
    logLevel: "warning",
  });
  return new Map(outputFiles.map(({ path, text }) => [path.slice(root.length + 1), text]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(join(root, "plugin/scripts"), { recursive: true });
  for (const [path, text] of await hookScripts()) writeFileSync(join(root, path), text);
}
