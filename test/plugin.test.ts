import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { HOOK_SCRIPTS, hookScripts, PROGRAM_SCRIPTS } from "../scripts/plugin.mjs";
import { PATHLESS_TOOLS } from "../src/agent/scope/scope.ts";
import { SHELL_TOOLS } from "../src/agent/tool-call.ts";
import { root } from "./support/programs.ts";

interface Matched {
  readonly matcher?: string;
  readonly hooks: readonly { readonly type: string; readonly command: string }[];
}

const json = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, file), "utf8")) as Record<string, unknown>;
const hooks = json("plugin/hooks/hooks.json")["hooks"] as Record<string, Matched[]>;
const built = await hookScripts();
/** Git and the settings are files of their own: most calls can do without. */
const SCRIPTS = [...HOOK_SCRIPTS, ...PROGRAM_SCRIPTS, "git", "check-settings", "check-place"];

it("has the scripts that its sources make", () => {
  expect([...built.keys()].map((path) => basename(path, ".cjs"))).toEqual(SCRIPTS);
  for (const [path, text] of built) {
    const isFresh = readFileSync(join(root, path), "utf8") === text;
    expect(isFresh, `${path} is old: run \`npm run plugin\``).toBe(true);
  }
});

/** A script is read and compiled on every call. */
const MOST_BYTES = 20_000;

it.each(SCRIPTS)("%s is small, and needs nothing but Node", (name) => {
  const text = built.get(`plugin/scripts/${name}.cjs`) ?? "";
  expect(Buffer.byteLength(text)).toBeLessThan(MOST_BYTES);
  const needs = [...text.matchAll(/\b(?:require|import)\(\s*(?<what>[^)]*)\)/g)];
  // That they are seen at all: each needs files and paths, or programs.
  expect(needs.length).toBeGreaterThanOrEqual(name === "check-settings" ? 1 : 2);
  for (const { groups } of needs) {
    expect(groups?.["what"]).toMatch(
      /^["'](?:node:\w+|\.\/(?:git|check-settings|check-place)\.cjs)/,
    );
  }
});

it("starts each script for something, and nothing else", () => {
  const commands = Object.values(hooks).flatMap((all) => all.flatMap((one) => one.hooks));
  const scripts = commands.map(({ type, command }) => {
    const script = /^node "\$\{CLAUDE_PLUGIN_ROOT\}\/(?<script>scripts\/[\w-]+\.cjs)"$/.exec(
      command,
    );
    expect(type).toBe("command");
    return script?.groups?.["script"] ?? command;
  });
  for (const script of scripts) expect(existsSync(join(root, "plugin", script)), script).toBe(true);
  expect(new Set(scripts)).toEqual(new Set(HOOK_SCRIPTS.map((name) => `scripts/${name}.cjs`)));
});

it("asks about every tool that may reach a file, and no other", () => {
  const matcher = hooks["PreToolUse"]?.find(({ hooks: [hook] }) =>
    hook?.command.includes("scope.cjs"),
  )?.matcher;
  const others = [...SHELL_TOOLS, ...PATHLESS_TOOLS];
  expect(matcher).toBe(`^(?!(?:${others.join("|")})$)`);
  const shells = hooks["PreToolUse"]?.find(({ hooks: [hook] }) => hook?.command.includes("shell"));
  expect(shells?.matcher).toBe([...SHELL_TOOLS].join("|"));
  const isHooked = (tool: string): boolean => new RegExp(matcher ?? "").test(tool);
  const withPaths =
    "Read Write Edit MultiEdit NotebookEdit NotebookRead Glob Grep LS LSP EnterWorktree Workflow Paint TaskFile mcp__files__write_file";
  expect(withPaths.split(" ").filter((tool) => !isHooked(tool))).toEqual([]);
  expect(others.filter(isHooked)).toEqual([]);
});

it("is the plugin of this version, and comes with the package", () => {
  const { version, files, license } = json("package.json");
  const manifest = json("plugin/.claude-plugin/plugin.json");
  const market = json(".claude-plugin/marketplace.json");
  expect(manifest).toMatchObject({ name: "saga", version, license });
  expect(market["plugins"]).toMatchObject([{ name: manifest["name"], source: "./plugin" }]);
  expect(files).toEqual(expect.arrayContaining(["plugin", ".claude-plugin"]));
});
