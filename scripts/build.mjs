// Builds what is shipped into dist/: the program in three parts, the dashboard's page, and the public types.

import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installPackages, root } from "./setup.mjs";

// People build a fresh clone first, so the imports below come after the set-up.
installPackages();
const { build } = await import("esbuild");
const { buildDashboard } = await import("./dashboard.mjs");

const dist = join(root, "dist");

/** @type {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  mainFields: ["module", "main"],
  target: "node20.19",
  legalComments: "none",
  // Keeps names, so that stack traces in reports are readable.
  minifyWhitespace: true,
  minifySyntax: true,
  // Required, not imported: the module loader would read all of it first to find its exports, and code that V8 has kept
  // compiled (`src/cli/program/compiled-code.ts`) cannot import.
  supported: { "dynamic-import": false },
  logLevel: "warning",
  metafile: true,
};

/** For what looks for packages beside its own file. */
const ownPlace = {
  define: { "import.meta.url": "sagaFileUrl" },
  banner: { js: 'const sagaFileUrl = require("node:url").pathToFileURL(__filename).href;' },
};

/**
 * A few CommonJS files start sooner than many modules: a small one that is all of `saga --help`, one with the commands
 * that only look, and one with every command, each of which is only brought to life when it is named.
 * @type {import("esbuild").Plugin}
 */
const programIsApart = {
  name: "program-is-apart",
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/(?:light|all)-commands\.ts$/ }, ({ path }) => ({
      path: path.replace(/\.ts$/, ".cjs"),
      external: true,
    }));
  },
};

/** Large libraries that few commands use are files of their own: the others need not read them. */
const APART = {
  "@clack/prompts": "clack.cjs",
  "@decimalturn/toml-patch": "toml-patch.cjs",
  "@secretlint/secretlint-rule-preset-recommend": "secretlint.cjs",
  pg: "pg.cjs",
  "pg-boss": "pg-boss.cjs",
};
/** Of the agent SDK only what is used, which is half of it. */
const AGENT_SDK = "agent-sdk.cjs";
const FILES_APART = Object.entries({ ...APART, "src/claude/agent-sdk.ts": AGENT_SDK });

/** @type {import("esbuild").Plugin} */
const librariesApart = {
  name: "libraries-apart",
  setup(bundler) {
    for (const [library, file] of Object.entries(APART)) {
      bundler.onResolve({ filter: new RegExp(`^${library}$`) }, ({ kind }) =>
        kind === "entry-point" ? undefined : { path: `./${file}`, external: true },
      );
    }
    bundler.onResolve({ filter: /^\.\/agent-sdk\.ts$/ }, () => ({
      path: `./${AGENT_SDK}`,
      external: true,
    }));
  },
};

rmSync(dist, { recursive: true, force: true });
const results = await Promise.all([
  ...FILES_APART.map(([entry, file]) =>
    build({
      ...common,
      ...ownPlace,
      entryPoints: [entry],
      outfile: join(dist, "cli", file),
      format: "cjs",
      plugins: [librariesApart],
      // Optional parts of pg, which are not installed.
      external: ["pg-native", "cloudflare:sockets"],
    }),
  ),
  build({
    ...common,
    entryPoints: ["src/cli/program/main.ts"],
    outfile: join(dist, "cli/main.cjs"),
    format: "cjs",
    banner: { js: `#!/usr/bin/env node\n${olderNode()}` },
    // An older Node parses the whole file before it runs the first line.
    target: "node12",
    plugins: [programIsApart],
  }),
  build({
    ...common,
    ...ownPlace,
    entryPoints: ["src/cli/program/light-commands.ts", "src/cli/program/all-commands.ts"],
    outdir: join(dist, "cli"),
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    plugins: [librariesApart],
  }),
  build({
    ...common,
    entryPoints: ["src/types.ts", "src/env.ts", "src/hydrate.ts"],
    outdir: dist,
    format: "esm",
    external: ["zod"],
  }),
]);
chmodSync(join(dist, "cli/main.cjs"), 0o755);
const ofThePage = await buildDashboard();

const compiler = join(root, "node_modules/typescript/bin/tsc");
const types = spawnSync(process.execPath, [compiler, "--project", "tsconfig.types.json"], {
  cwd: root,
  stdio: "inherit",
});
if (types.status !== 0) process.exit(1);
const ofTheProgram = results.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
writeFileSync(join(dist, "THIRD-PARTY.txt"), thirdParty([...ofTheProgram, ...ofThePage]));

/** Reports a Node that is too old, in syntax that any Node can read, before anything else is loaded. */
function olderNode() {
  const text = readFileSync(join(root, "package.json"), "utf8");
  const { engines } = /** @type {{ engines: { node: string } }} */ (JSON.parse(text));
  const [major, minor] = engines.node.replace(">=", "").split(".");
  const sentence = `saga: Saga needs Node ${major}.${minor} or newer, and this is `;
  const hint = ".\\nInstall a newer one: https://nodejs.org\\n";
  return [
    'var sagaNode = process.versions.node.split(".");',
    `if (sagaNode[0] < ${major} || (sagaNode[0] == ${major} && sagaNode[1] < ${minor})) {`,
    `  process.stderr.write("${sentence}" + process.versions.node + "${hint}");`,
    "  process.exit(1);",
    "}",
  ].join("\n");
}

/**
 * The licences of what is bundled, as they ask for.
 * @param {string[]} inputs files that became part of it, as paths from the root
 */
function thirdParty(inputs) {
  const packages = inputs.flatMap(
    (input) => /^node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(input)?.groups?.["name"] ?? [],
  );
  const texts = [...new Set(packages)].toSorted().map((name) => {
    const folder = join(root, "node_modules", name);
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    if (file !== undefined) {
      return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
    }
    return `${name}\n\n${licenceWithoutFile(folder)}\n`;
  });
  return `Saga contains parts of these packages.\n\n${texts.join(`\n${"-".repeat(78)}\n\n`)}`;
}

/**
 * A few packages only name theirs.
 * @param {string} folder
 */
function licenceWithoutFile(folder) {
  const text = readFileSync(join(folder, "package.json"), "utf8");
  const { name, license, author } = /** @type {Record<string, string>} */ (JSON.parse(text));
  if (license === "Unlicense") return "Given to the public domain: https://unlicense.org";
  if (license !== "MIT") throw new Error(`${name} has no licence file to pass on.`);
  const mit = readFileSync(join(root, "LICENSE"), "utf8");
  return mit.replace(/^Copyright.*$/m, `Copyright (c) ${author}`).trim();
}
