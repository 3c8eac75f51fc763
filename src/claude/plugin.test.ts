import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, type Project } from "../../test/support/project.ts";
import { root } from "../../test/support/programs.ts";
import type { Environment } from "../machine/processes/environment.ts";
import { run } from "../machine/processes/run.ts";
import { findClaude } from "./find.ts";
import { installPlugin, PLUGIN, removePlugin, settingsFile, type PluginPlace } from "./plugin.ts";

describe("the plugin", () => {
  it("is added to a project, added again, and removed without a trace", async () => {
    const { place, project, state } = newPlace();
    await installPlugin(place);
    await installPlugin(place);
    expect(project.json(".claude/settings.json")).toEqual({ enabledPlugins: { [PLUGIN]: true } });
    expect(await state()).toEqual({ marketplaces: [root], plugins: [PLUGIN] });

    expect(await removePlugin(place)).toBe(true);
    expect(await removePlugin(place)).toBe(false);
    expect(existsSync(join(project.path, ".claude"))).toBe(false);
    // Another clone may have it from there.
    expect(await state()).toEqual({ marketplaces: [root], plugins: [] });
  });

  it("leaves a person's own settings, and another project's plugin, as they are", async () => {
    const { place, project, state, another } = newPlace();
    project.write(".claude/settings.json", { model: "opus", enabledPlugins: { "a@b": true } });
    await installPlugin(place);
    await installPlugin(another);
    await removePlugin(place);
    expect(project.json(".claude/settings.json")).toEqual({
      model: "opus",
      enabledPlugins: { "a@b": true },
    });
    expect(await state()).toEqual({ marketplaces: [root], plugins: [PLUGIN] });
    await removePlugin(another);
    expect((await state()).plugins).toEqual([]);
  });

  it("is taken out of a clone where it was never installed", async () => {
    const { place, project } = newPlace();
    project.write(".claude/settings.json", { env: { A: "1" }, enabledPlugins: { [PLUGIN]: true } });
    expect(await removePlugin(place)).toBe(true);
    expect(project.json(".claude/settings.json")).toEqual({ env: { A: "1" }, enabledPlugins: {} });
  });

  it("moves along with an installation of Saga", async () => {
    const { place, project, state } = newPlace();
    const older = join(project.path, "../older");
    project.write("../older/.claude-plugin/marketplace.json", {
      name: "saga-run",
      owner: { name: "Saga" },
      plugins: [{ name: "saga", source: "./plugin" }],
    });
    project.write("../older/plugin/.claude-plugin/plugin.json", { name: "saga", version: "0.0.1" });
    await installPlugin(place, older);
    await installPlugin(place);
    expect((await state()).marketplaces).toEqual([root]);
  });

  it("that cannot be installed is reported with Claude Code's message", async () => {
    const { place, project } = newPlace();
    await expect(installPlugin(place, join(project.path, "nowhere"))).rejects.toMatchObject({
      code: "program-failed",
      message: expect.stringContaining("nowhere") as string,
    });
    await expect(installPlugin({ ...place, claude: "/bin/true" })).rejects.toThrow("no output");
    expect(existsSync(settingsFile(place.project))).toBe(false);
  });
});

interface World {
  readonly place: PluginPlace;
  readonly another: PluginPlace;
  readonly project: Project;
  readonly state: () => Promise<{ marketplaces: unknown[]; plugins: unknown[] }>;
}

function newPlace(): World {
  const project = newFolder("project");
  const home = join(project.path, "../home");
  const other = join(project.path, "../other");
  mkdirSync(home);
  mkdirSync(other);
  const env: Environment = {
    PATH: process.env["PATH"],
    HOME: home,
    ANTHROPIC_API_KEY: "nobody",
    // No server listens there: no request leaves the machine.
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const claude = findClaude(undefined, env, project.path)?.path ?? "";
  const list = async (...words: string[]): Promise<Record<string, unknown>[]> => {
    const result = await run(claude, ["plugin", ...words, "list", "--json"], {
      cwd: project.path,
      env: { ...env },
      timeoutMs: 30_000,
    });
    if (result.kind !== "exited") throw new Error(result.kind);
    return JSON.parse(result.stdout) as Record<string, unknown>[];
  };
  return {
    project,
    place: { claude, project: project.path, env },
    another: { claude, project: other, env },
    state: async () => ({
      marketplaces: (await list("marketplace")).map(({ path }) => path),
      plugins: (await list()).map(({ id }) => id),
    }),
  };
}
