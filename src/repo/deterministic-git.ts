// Git that gives the same answer on every machine: what people set up for themselves (how they merge,
// which files they join how, what they convert) changes nothing that Saga brings together.

import type { Git, GitOptions } from "../machine/programs/git.ts";

/** Attributes that a project commits still count: how its own files are to be merged is its business. */
const MERGING: Settings = {
  "core.attributesFile": "/dev/null",
  "merge.autoStash": "false",
  "merge.conflictStyle": "merge",
  "merge.default": "text",
  "merge.directoryRenames": "conflict",
  "merge.renameLimit": "7000",
  "merge.renames": "true",
  "merge.renormalize": "false",
  "merge.verifySignatures": "false",
  "rerere.enabled": "false",
  "submodule.recurse": "false",
};

/** Bytes as they are committed, unless the project's own attributes say otherwise. */
export const CHECKOUT: Settings = { "core.autocrlf": "false", "core.eol": "lf" };

type Settings = Readonly<Record<string, string>>;

/** The settings travel in the environment, so that what git says of a failure names the command. */
export function steadily(git: Git, more: Settings = {}): Git {
  const pairs = Object.entries({ ...MERGING, ...more });
  const settings = Object.fromEntries(
    pairs.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  );
  const env = { ...settings, GIT_CONFIG_COUNT: String(pairs.length) };
  const withSettings = (options: GitOptions = {}): GitOptions => ({
    ...options,
    env: { ...env, ...options.env },
  });
  return {
    folder: git.folder,
    get place() {
      return git.place;
    },
    ask: (args, options) => git.ask(args, withSettings(options)),
    attempt: (args, options) => git.attempt(args, withSettings(options)),
    at: (folder) => steadily(git.at(folder), more),
  };
}
