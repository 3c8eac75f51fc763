// Builds the scripts of the plugin into plugin/scripts/. They are committed, because a plugin is
// installed as it is; a test compares them with a fresh build.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
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
      { filter: /\/(?:git|check-settings|check-place)\.ts$/, namespace: "file" },
      ({ kind, path }) =>
        kind === "dynamic-import"
          ? { path: `./${path.replace(/^.*\/|\.ts$/g, "")}.cjs`, external: true }
          : undefined,
    );
  },
};

const FORM = /** @type {const} */ ({
  platform: "node",
  target: "node20.19",
  legalComments: "none",
});

/** The text of each script, by its path from the top of the repository. */
export async function hookScripts() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [
      ...[...HOOK_SCRIPTS, ...PROGRAM_SCRIPTS].map((name) => ({
        in: `src/hook/${name}.ts`,
        out: name,
      })),
      { in: "src/machine/programs/git.ts", out: "git" },
      { in: "src/store/hook/check-settings.ts", out: "check-settings" },
      { in: "src/gate/check-place.ts", out: "check-place" },
    ],
    outdir: "plugin/scripts",
    plugins: [rareIsApart],
    outExtension: { ".js": ".cjs" },
    bundle: true,
    ...FORM,
    format: "esm",
    minifySyntax: true,
    write: false,
    logLevel: "warning",
  });
  const scripts = outputFiles.map(async ({ path, text }) => {
    const { code } = await transform(withoutLabels(asScript(text)), {
      ...FORM,
      // Starts sooner than a module.
      format: "cjs",
      minify: true,
      banner: "// Built by `npm run plugin`.",
    });
    return /** @type {const} */ ([path.slice(root.length + 1), code]);
  });
  return new Map(await Promise.all(scripts));
}

/**
 * Where a file is loaded late, the bundler labels each file with its path and makes it strict once more.
 * @param {string} text
 */
const withoutLabels = (text) => text.replace(/"src\/[^"]+\.ts"\(\) \{\n\s*"use strict";/g, "m() {");

const IMPORT = /^import \{(?<imported>[^}]*)\} from "(?<from>node:[^"]+)";$/gm;

/**
 * A module as a script that requires: the loader of modules alone costs more than the whole script. Node's own modules
 * are required once and taken apart into names that can be shortened. Left to the bundler, every file has a `require` of
 * its own, every call is spelt out, and helpers come along that nothing here needs.
 * @param {string} text
 */
function asScript(text) {
  /** By module and name: what the files of the bundle call it. @type {Map<string, Map<string, string[]>>} */
  const names = new Map();
  for (const { groups: { imported = "", from = "" } = {} } of text.matchAll(IMPORT)) {
    const known = names.get(from) ?? /** @type {Map<string, string[]>} */ (new Map());
    names.set(from, known);
    for (const part of imported.split(",")) {
      const [name = "", local = name] = part.trim().split(" as ");
      known.set(name, [...(known.get(name) ?? []), local]);
    }
  }
  // Every file imports for itself. The bundler's own names (`join2`) give way: the plain one may be a property's too.
  let once = text;
  const required = [...names].map(([from, known]) => {
    const parts = [...known].map(([name, locals]) => {
      const kept = locals.includes(name) ? name : (locals[0] ?? name);
      for (const local of locals.filter((one) => one !== kept)) {
        once = once.replaceAll(new RegExp(`\\b${local}\\b`, "g"), kept);
      }
      return { kept, part: name === kept ? name : `${name}: ${kept}` };
    });
    return { from, parts };
  });
  const body = once.replaceAll(IMPORT, "");
  // A file imports more than the bundler keeps of it.
  const isUsed = (/** @type {string} */ name) => new RegExp(`\\b${name}\\b`).test(body);
  const requires = required.flatMap(({ from, parts }) => {
    const used = parts.filter(({ kept }) => isUsed(kept)).map(({ part }) => part);
    return used.length === 0 ? [] : `const { ${used.join(", ")} } = require("${from}");`;
  });
  const plain = body
    .replace(/^export (\{[^}]*\});$/m, "module.exports = $1;")
    .replaceAll(/\bimport\(("\.\/[\w-]+\.cjs")\)/g, "require($1)");
  return `"use strict";\n${requires.join("\n")}\n${plain}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(join(root, "plugin/scripts"), { recursive: true });
  for (const [path, text] of await hookScripts()) writeFileSync(join(root, path), text);
}
