import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { root } from "./support/programs.ts";

const BASE = ["story", "machine", "text"];
const PARTS = [...BASE, "store", "repo", "claude", "agent", "tasks", "gate", "landing"];

/** Which folders each layer may import from. `errors` is open to all; subfolders belong to their layer. */
const MAY_IMPORT: Readonly<Record<string, readonly string[] | "all">> = {
  errors: [],
  context: [],
  text: [],
  story: ["text"],
  machine: ["text"],
  store: BASE,
  // Implements the interface of an agent, which knows no program.
  claude: [...BASE, "agent"],
  repo: BASE,
  agent: [...BASE, "repo"],
  tasks: [...BASE, "store", "claude"],
  gate: [...BASE, "store", "repo"],
  landing: [...BASE, "store", "repo", "gate"],
  worker: PARTS,
  deliver: PARTS,
  epic: PARTS,
  pool: PARTS,
  recover: PARTS,
  fleet: PARTS,
  rehearsal: PARTS,
  dashboard: PARTS,
  // In the browser: types of the program leave no trace, and the rest must not need Node.
  "dashboard/web": ["story", "text"],
  hook: [...BASE, "store", "agent", "claude", "gate"],
  cli: "all",
  types: ["story", "claude"],
  env: [],
  hydrate: PARTS,
};

/** Layers that are pure, or must start at once. */
const NO_NODE = new Set(["text", "story", "dashboard/web"]);
const NO_PACKAGES = new Set(["hook"]);
/** Layers whose subfolders build on each other in one direction. */
const ACYCLIC = ["machine", "store", "claude", "agent", "tasks", "repo", "pool"];
const MAX_FILES = 15;
/** Packages of one layer alone. */
const PRIVATE_PACKAGES: Readonly<Record<string, string>> = {
  "@anthropic-ai/claude-agent-sdk": "claude",
  pg: "fleet",
  "pg-boss": "fleet",
};
const ALLOWED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  text: [],
  story: ["zod"],
  machine: [],
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isOutside: boolean;
}

it("keeps every import within its layer", async () => {
  const imports = await sourceImports();
  expect(imports.length).toBeGreaterThan(50);
  expect(violations(imports)).toEqual([]);
});

it("keeps every import of a type within its layer too", () => {
  const imports = writtenImports(sourceFiles("src"));
  expect(imports.length).toBeGreaterThan(2000);
  expect(violations(imports)).toEqual([]);
});

/** Types leave no trace in a bundle, so these are read from the text. */
it("knows the SDK of Claude Code, also its types, in claude alone, and nothing of claude in agent", () => {
  const importing = (folder: string, what: RegExp): string[] =>
    sourceFiles(folder).filter((file) => what.test(readFileSync(join(root, file), "utf8")));
  const withSdk = importing("src", /(?:from|import\() ?"@anthropic-ai\/claude-agent-sdk["/]/);
  expect(withSdk.length).toBeGreaterThan(0);
  expect(withSdk.filter((file) => !file.startsWith("src/claude/"))).toEqual([]);
  expect(importing("src/agent", /(?:from|import\() ?"[./]+\/claude\//)).toEqual([]);
});

/** What owns something there could be a database: the fleet has one. */
it("knows the files of leases, claims and other machines in store alone", () => {
  const imports = writtenImports(sourceFiles("src"));
  const knowing = imports.filter(({ to }) => ownershipFile(to));
  expect(knowing.length).toBeGreaterThan(10);
  expect(knowing.filter(({ from }) => layerOf(from) !== "store")).toEqual([]);
  const naming = sourceFiles("src").filter((file) =>
    /\b(?:leasesFolder|elsewhereFolder)\b|["'`/]\.claims\b/.test(
      readFileSync(join(root, file), "utf8"),
    ),
  );
  expect(naming.length).toBeGreaterThan(2);
  expect(naming.filter((file) => layerOf(file) !== "store")).toEqual([]);
});

const ownershipFile = (file: string): boolean =>
  /^src\/store\/(?:ownership\/(?!ownership\.ts)|leases\/(?:file-leases|read-lease)\.ts|elsewhere\/known-leases\.ts|elsewhere\/story-copies\.ts)/.test(
    file,
  );

it("keeps the subfolders of a layer free of cycles", async () => {
  const imports = await sourceImports();
  expect(ACYCLIC.flatMap((layer) => cycleIn(subfolderImports(imports, layer)))).toEqual([]);
});

it("finds a cycle between subfolders", () => {
  const edge = (from: string, to: string): Import => ({
    from: `src/repo/${from}/x.ts`,
    to: `src/repo/${to}/y.ts`,
    isOutside: false,
  });
  const chain = [edge("commits", "worktree"), edge("worktree", "snapshots")];
  expect(cycleIn(subfolderImports(chain, "repo"))).toEqual([]);
  const circle = [...chain, edge("snapshots", "commits")];
  expect(cycleIn(subfolderImports(circle, "repo"))).toHaveLength(3);
});

it("keeps every folder small enough to take in at a glance", () => {
  const folders = sourceFiles("src").map((file) => dirname(file));
  const large = new Set(
    folders.filter((one) => folders.filter((other) => other === one).length > MAX_FILES),
  );
  expect([...large]).toEqual([]);
});

it("would notice each kind of breach", () => {
  const inside = (from: string, to: string): Import => ({ from, to, isOutside: false });
  const outside = (from: string, to: string): Import => ({ from, to, isOutside: true });
  const breaches = [
    inside("src/story/definition/graph.ts", "src/store/project/read.ts"),
    inside("src/machine/processes/run.ts", "src/story/definition/names.ts"),
    inside("src/worker/worker.ts", "src/pool/plan.ts"),
    inside("src/store/project/read.ts", "src/cli/output/terminal.ts"),
    inside("src/unknown/x.ts", "src/errors.ts"),
    inside("src/dashboard/server/server.ts", "src/worker/worker.ts"),
    inside("src/dashboard/web/app.tsx", "src/dashboard/server/server.ts"),
    inside("src/dashboard/server/server.ts", "src/dashboard/web/app.tsx"),
    outside("src/dashboard/web/app.tsx", "node:fs"),
    outside("src/story/definition/graph.ts", "node:fs"),
    outside("src/story/definition/graph.ts", "commander"),
    outside("src/hook/scope.ts", "zod"),
    outside("src/agent/run-agent.ts", "@anthropic-ai/claude-agent-sdk"),
    outside("src/agent/run-agent.ts", "@anthropic-ai/claude-agent-sdk/core"),
    inside("src/agent/run-agent.ts", "src/claude/agent.ts"),
  ];
  for (const breach of breaches) expect(violations([breach]), breach.from).toHaveLength(1);
});

function violations(imports: readonly Import[]): string[] {
  return imports
    .filter(
      ({ from, to, isOutside }) => !(isOutside ? mayUse(layerOf(from), to) : mayImport(from, to)),
    )
    .map(({ from, to }) => `${from} imports ${to}`);
}

/** Which subfolder of a layer imports which others. */
function subfolderImports(imports: readonly Import[], layer: string): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { from, to, isOutside } of imports) {
    if (isOutside || layerOf(from) !== layer || layerOf(to) !== layer) continue;
    const [source, target] = [dirname(from), dirname(to)];
    if (source === target) continue;
    edges.set(source, (edges.get(source) ?? new Set()).add(target));
  }
  return edges;
}

/** The folders that remain when those that import no other remaining one are removed again and again. */
function cycleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  let rest = [...edges.keys()];
  for (;;) {
    const next = rest.filter((folder) => rest.some((other) => edges.get(folder)?.has(other)));
    if (next.length === rest.length) return rest;
    rest = next;
  }
}

function mayImport(from: string, to: string): boolean {
  const allowed = MAY_IMPORT[layerOf(from)];
  if (allowed === undefined) return false;
  const target = layerOf(to);
  return (
    allowed === "all" ||
    target === layerOf(from) ||
    ["errors", "context"].includes(target) ||
    allowed.includes(target)
  );
}

function mayUse(layer: string, name: string): boolean {
  if (name.startsWith("node:")) return !NO_NODE.has(layer);
  if ((PRIVATE_PACKAGES[packageOf(name)] ?? layer) !== layer) return false;
  const allowed = ALLOWED_PACKAGES[layer];
  return !NO_PACKAGES.has(layer) && (allowed === undefined || allowed.includes(name));
}

/** `@scope/package/part` is a part of `@scope/package`. */
const packageOf = (name: string): string =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");

/** `src/store/project/read.ts` is of the layer `store`, `src/errors.ts` of `errors`; the page is one of its own. */
const layerOf = (file: string): string =>
  file.startsWith("src/dashboard/web/")
    ? "dashboard/web"
    : (file.split("/")[1] ?? "").replace(/\.ts$/, "");

const sourceFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|d)\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`);

/** As the bundler sees them: what is imported for its types alone leaves no trace at run time. */
let found: Promise<Import[]> | undefined;
const sourceImports = (): Promise<Import[]> => (found ??= importsOf(sourceFiles("src")));

/**
 * With types, which the bundler drops. The page shares those of the server's protocol, and `context.ts` has nothing but types.
 */
const writtenImports = (files: readonly string[]): Import[] =>
  files
    .filter((file) => file !== "src/context.ts")
    .flatMap((from) =>
      [
        ...readFileSync(join(root, from), "utf8").matchAll(/(?:from|import\() ?"(\.[^"]+\.tsx?)"/g),
      ].map(([, path = ""]) => ({ from, to: join(dirname(from), path), isOutside: false })),
    )
    .filter(
      ({ from, to }) =>
        layerOf(from) !== "dashboard/web" || !to.startsWith("src/dashboard/protocol/"),
    );

async function importsOf(files: readonly string[]): Promise<Import[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    // As one entry point: as many would each be bundled with everything that they import.
    stdin: { contents: files.map((file) => `import "./${file}";`).join("\n"), resolveDir: root },
    bundle: true,
    metafile: true,
    write: false,
    format: "esm",
    platform: "node",
    packages: "external",
    jsx: "automatic",
    loader: { ".css": "empty" },
    logLevel: "silent",
  });
  const inputs = Object.entries(metafile.inputs).filter(([from]) => from !== "<stdin>");
  return inputs.flatMap(([from, { imports }]) =>
    imports.map(({ path, external }) => ({ from, to: path, isOutside: external ?? false })),
  );
}
