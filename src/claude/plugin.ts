// Installs and removes Saga's plugin in a project, with Claude Code's own commands. The marketplace is a folder
// on this machine, so it is in the user's settings. That the plugin is enabled is in the project's
// `.claude/settings.json`, which is committed and so reaches worktrees.

import { existsSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { SagaError } from "../errors.ts";
import {
  plainEnvironment,
  PROXY_VARIABLES,
  type Environment,
} from "../machine/processes/environment.ts";
import { listNames, readTextIfThere, writeDurably } from "../machine/files/files.ts";
import { parseJson } from "../text/parse-json.ts";
import { run } from "../machine/processes/run.ts";
import { LOGIN_VARIABLES } from "./environment.ts";

const MARKETPLACE = "saga-run";
export const PLUGIN = `saga@${MARKETPLACE}`;

export interface PluginPlace {
  readonly claude: string;
  /** The top of the project. */
  readonly project: string;
  readonly env: Environment;
}

/** May be repeated. A Saga that is installed elsewhere now replaces the old one. */
export async function installPlugin(
  place: PluginPlace,
  marketplace = packageFolder(),
): Promise<void> {
  await runPluginCommand(place, ["marketplace", "add", marketplace]);
  await runPluginCommand(place, ["install", PLUGIN, "--scope", "project"]);
}

/**
 * Returns whether the plugin was installed. The marketplace stays: other projects and clones may use it, and
 * nothing lists them.
 */
export async function removePlugin(place: PluginPlace): Promise<boolean> {
  const removed = await pluginAnswer(place, ["uninstall", PLUGIN, "--scope", "project"]);
  const wasInstalled = removed.outcome === "ok";
  if (!wasInstalled && !NOT_INSTALLED.test(removed.message)) throw failed(removed.message);
  return removeFromSettings(place.project) || wasInstalled;
}

export const settingsFile = (project: string): string => join(project, ".claude/settings.json");

const NOT_INSTALLED = /not (?:installed|found)/i;

/** The folder of Saga's plugin: in this package, or above this file if only the plugin is installed. */
export function pluginFolder(): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".claude-plugin/plugin.json"))) return folder;
    if (existsSync(join(folder, ".claude-plugin/marketplace.json"))) return join(folder, "plugin");
    if (dirname(folder) === folder) return undefined;
  }
}

/** The folder of this package: it is a marketplace with one plugin. */
function packageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".claude-plugin/marketplace.json"))) return folder;
    if (dirname(folder) === folder) {
      throw new SagaError("bug", "This installation of Saga lacks its plugin.", {
        hint: "Install the package again.",
      });
    }
  }
}

const answerSchema = z.object({
  outcome: z.string(),
  message: z.string().default("no reason given"),
});
type PluginAnswer = z.infer<typeof answerSchema>;

async function runPluginCommand(place: PluginPlace, words: readonly string[]): Promise<void> {
  const answer = await pluginAnswer(place, words);
  if (answer.outcome !== "ok") throw failed(answer.message);
}

/** Claude Code answers with one line of JSON, the last that it prints, on success and on failure. */
async function pluginAnswer(place: PluginPlace, words: readonly string[]): Promise<PluginAnswer> {
  const printed = await printedBy(place, words);
  const answer = answerSchema.safeParse(parseJson(printed.trimEnd().split("\n").at(-1) ?? ""));
  if (answer.success) return answer.data;
  throw failed(printed.trim() || "no output");
}

/** It may check the network for updates first. */
const TIMEOUT_MS = 120_000;

async function printedBy(
  { claude, project, env }: PluginPlace,
  words: readonly string[],
): Promise<string> {
  const result = await run(claude, ["plugin", ...words, "--json"], {
    cwd: project,
    env: plainEnvironment(env, [
      ...LOGIN_VARIABLES,
      ...PROXY_VARIABLES,
      "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
      "DISABLE_TELEMETRY",
      "DISABLE_AUTOUPDATER",
    ]),
    timeoutMs: TIMEOUT_MS,
  });
  if (result.kind === "exited") return result.stdout || result.stderr;
  throw failed(
    result.kind === "timed-out" ? `no answer within ${TIMEOUT_MS / 1000} s` : result.kind,
  );
}

const failed = (why: string): SagaError =>
  new SagaError("program-failed", `Claude Code's plugin command failed: ${why}`, {
    hint: "Fix the error above and run the command again.",
  });

const settingsSchema = z.looseObject({ enabledPlugins: z.record(z.string(), z.unknown()) });

/** In a clone the plugin is enabled without being installed. A settings file that is empty then is removed. */
function removeFromSettings(project: string): boolean {
  const file = settingsFile(project);
  const settings = settingsSchema.safeParse(parseJson(readTextIfThere(file) ?? "")).data;
  if (settings === undefined) return false;
  const { [PLUGIN]: own, ...others } = settings.enabledPlugins;
  const isEmpty = Object.keys(settings).length === 1 && Object.keys(others).length === 0;
  if (own !== undefined) {
    const text = JSON.stringify({ ...settings, enabledPlugins: others }, undefined, 2);
    writeDurably(file, `${text}\n`);
  }
  if (isEmpty) {
    rmSync(file);
    if (listNames(dirname(file)).length === 0) rmdirSync(dirname(file));
  }
  return own !== undefined;
}
