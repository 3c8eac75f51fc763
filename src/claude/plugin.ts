// Saga's plugin in a project, put there and taken away with Claude Code's own commands. The marketplace
// is a folder on this machine, so the person's settings name it; that the plugin is on is the
// project's, so it stands in `.claude/settings.json`, which is committed and travels to worktrees.

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

/** Repeating it is harmless; a Saga that was installed anew elsewhere takes the old one's place. */
export async function installPlugin(
  place: PluginPlace,
  marketplace = packageFolder(),
): Promise<void> {
  await ask(place, ["marketplace", "add", marketplace]);
  await ask(place, ["install", PLUGIN, "--scope", "project"]);
}

/**
 * Answers whether there was one. The marketplace stays: other projects, and other clones of this one,
 * may have the plugin from it without being listed anywhere.
 */
export async function removePlugin(place: PluginPlace): Promise<boolean> {
  const removed = await tell(place, ["uninstall", PLUGIN, "--scope", "project"]);
  const wasThere = removed.outcome === "ok";
  if (!wasThere && !NOT_THERE.test(removed.message)) throw failed(removed.message);
  return forget(place.project) || wasThere;
}

export const settingsFile = (project: string): string => join(project, ".claude/settings.json");

const NOT_THERE = /not (?:installed|found)/i;

/** Where Saga's plugin is: in this package or, where the plugin was installed alone, around this file. */
export function pluginFolder(): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".claude-plugin/plugin.json"))) return folder;
    if (existsSync(join(folder, ".claude-plugin/marketplace.json"))) return join(folder, "plugin");
    if (dirname(folder) === folder) return undefined;
  }
}

/** The folder of this package, which is a marketplace with one plugin. */
function packageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".claude-plugin/marketplace.json"))) return folder;
    if (dirname(folder) === folder) {
      throw new SagaError("bug", "The plugin did not come along with this installation of Saga.", {
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

async function ask(place: PluginPlace, words: readonly string[]): Promise<void> {
  const answer = await tell(place, words);
  if (answer.outcome !== "ok") throw failed(answer.message);
}

/** Its answer is one line of JSON, the last that it prints, whether it went well or not. */
async function tell(place: PluginPlace, words: readonly string[]): Promise<PluginAnswer> {
  const printed = await speak(place, words);
  const answer = answerSchema.safeParse(parseJson(printed.trimEnd().split("\n").at(-1) ?? ""));
  if (answer.success) return answer.data;
  throw failed(printed.trim() || "it said nothing");
}

/** It may look for news on the network first. */
const TIMEOUT_MS = 120_000;

async function speak(
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
  new SagaError("program-failed", `Claude Code could not do it: ${why}`, {
    hint: "Put right what it says, and run the command again; repeating it is harmless.",
  });

const settingsSchema = z.looseObject({ enabledPlugins: z.record(z.string(), z.unknown()) });

/** In a clone of a project it is on without having been installed. A file that says nothing goes. */
function forget(project: string): boolean {
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
