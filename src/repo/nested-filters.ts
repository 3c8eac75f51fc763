// Keeps git from running filters that an agent set up in a repository inside a worktree: a submodule, or one that it
// made and added. To see whether such a repository has changes, git runs `git status` in it, by that repository's own
// settings. Hooks and `core.fsmonitor` are switched off there too, because settings of the command line are passed on.
// A filter's name is not known before, so the filters are looked up; each gets the command that the surrounding
// repository and the person's own settings have for it, or none.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../machine/processes/environment.ts";
import { openGit, type Git, type GitOptions } from "../machine/programs/git.ts";
import { mayListRepositories } from "../machine/programs/index-repositories.ts";
import { settingsIn } from "../machine/programs/program-settings.ts";
import { entryAt } from "./lstat.ts";

/** The commands that look into nested repositories; removing a worktree does, as `worktree remove`. */
const LOOKING: ReadonlySet<string> = new Set(["add", "diff", "diff-files", "status", "remove"]);

const FILTER = /^filter\.(?<name>.+)\.(?:clean|smudge|process|required)$/s;

/** The settings travel in the environment: a name may contain an equals sign. */
export function withoutNestedFilters(git: Git, env: Environment): Git {
  const withSettings = async (
    args: readonly string[],
    options: GitOptions = {},
  ): Promise<GitOptions> => {
    // Options may come first. A path of that name only costs another look.
    if (!args.some((word) => LOOKING.has(word))) return options;
    // Git removes a worktree from outside of it.
    const place = args.includes("remove") ? git.at(args.at(-1) ?? "") : git;
    if (!mayListRepositories(place, options.env ?? {})) return options;
    const keys = await nestedFilters(place, env, options.env);
    if (keys.size === 0) return options;
    return { ...options, env: { ...options.env, ...(await settingsFor(git, keys, options.env)) } };
  };
  return {
    folder: git.folder,
    get place() {
      return git.place;
    },
    ask: async (args, options) => git.ask(args, await withSettings(args, options)),
    attempt: async (args, options) => git.attempt(args, await withSettings(args, options)),
    at: (folder) => withoutNestedFilters(git.at(folder), env),
  };
}

/** The settings of filters in repositories below the folder, at any depth. */
async function nestedFilters(
  git: Git,
  env: Environment,
  callEnv: Environment = {},
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const folders = await nestedIn(git, callEnv);
  // A loop over a list that grows: nested repositories may contain others.
  for (const folder of folders) {
    const nested = openGit(folder, env);
    const listed = await nested.attempt(["config", "--null", "--list", "--includes"]);
    for (const { key } of settingsIn(listed.stdout)) {
      if (FILTER.test(key)) keys.add(key);
    }
    folders.push(...(await nestedIn(nested)));
  }
  return keys;
}

/** `160000 <commit> <stage>\t<path>` is another repository's commit. */
async function nestedIn(git: Git, env: Environment = {}): Promise<string[]> {
  if (!existsSync(git.folder)) return [];
  const list = ["ls-files", "--stage", "-z", "--full-name", "--", ":(top)"];
  const { stdout } = await git.attempt(list, { env });
  const links = stdout.split("\0").filter((entry) => entry.startsWith("160000 "));
  if (links.length === 0) return [];
  const top = await git.ask(["rev-parse", "--show-toplevel"]);
  return links
    .map((entry) => join(top, entry.slice(entry.indexOf("\t") + 1)))
    .filter((folder) => entryAt(join(folder, ".git")) !== undefined);
}

/** What the surrounding repository runs for these filters: nothing for those that only a nested repository has. */
async function settingsFor(
  git: Git,
  keys: ReadonlySet<string>,
  callEnv: Environment = {},
): Promise<Environment> {
  const listed = await git.attempt(["config", "--null", "--list", "--includes"]);
  const own = new Map(settingsIn(listed.stdout).map(({ key, value }) => [key, value ?? "true"]));
  const names = new Set([...keys].map((key) => FILTER.exec(key)?.groups?.["name"] ?? ""));
  const pairs = [...names].flatMap((name) => {
    const keyOf = (field: string): string => `filter.${name}.${field}`;
    const process = keyOf("process");
    // An empty `process` switches off `clean` too, and then git must not fail for want of it.
    const isOff = keys.has(process) && !own.has(process);
    const commands = ["clean", "smudge", "process"]
      .map(keyOf)
      .filter((key) => keys.has(key) || own.has(key));
    const required = keyOf("required");
    return [
      ...commands.map((key) => [key, own.get(key) ?? ""] as const),
      [required, isOff ? "false" : (own.get(required) ?? "false")] as const,
    ];
  });
  const before = Number(callEnv["GIT_CONFIG_COUNT"] ?? 0);
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(before + pairs.length)],
    ...pairs.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${before + at}`, key],
      [`GIT_CONFIG_VALUE_${before + at}`, value],
    ]),
  ]) as Environment;
}
