// The ground that a scope covers: its folders as the disk knows them, asked once, and whether one lies
// below another, compared as that disk compares names.

import { realpathSync, statSync } from "node:fs";
import type { Scope } from "./scope.ts";
import type { Identity } from "./resolve.ts";

/** A scope with what has to be asked of the disk once. */
export interface Ground {
  readonly scope: Scope;
  readonly project: Identity | undefined;
  /** The project's `.saga`, which may itself be a link to somewhere else. */
  readonly saga: string;
  /** On a disk that ignores case two spellings are one name. */
  readonly isCaseBlind: boolean;
}

const known = new WeakMap<Scope, Ground>();

export function groundOf(scope: Scope): Ground {
  const before = known.get(scope);
  if (before !== undefined) return before;
  const saga = `${scope.project}/.saga`;
  const ground: Ground = {
    scope,
    project: identify(scope.project),
    saga: identify(saga) ? realpathSync.native(saga) : saga,
    isCaseBlind: isCaseBlind(scope.worktree),
  };
  known.set(scope, ground);
  return ground;
}

/** The names that lead from a folder down to a path, as the disk compares them. */
export function below(ground: Ground, folder: string, path: string): readonly string[] | undefined {
  const top = fold(ground, folder === "/" ? "" : folder);
  const real = fold(ground, path === "/" ? "" : path);
  if (real === top) return [];
  return real.startsWith(`${top}/`) ? real.slice(top.length + 1).split("/") : undefined;
}

/** What two texts share only when the disk takes them for one name. */
export const fold = (ground: Ground, text: string): string =>
  ground.isCaseBlind ? text.normalize("NFC").toLowerCase() : text;

/** Characters that no eye sees, and that some of Apple's disks leave out when they compare names. */
const UNSEEN = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/gu;

/**
 * What a name may pass for on some disk that ignores case: more than `fold` takes for one, so it may
 * forbid but never permit. By way of the capitals, because two small letters may share one: `ſ`, `s`.
 */
export const lookalike = (name: string): string =>
  name.replaceAll(UNSEEN, "").normalize("NFC").toUpperCase().toLowerCase();

/** Whether the folder is found with its last name in the other case as well. */
function isCaseBlind(folder: string): boolean {
  const names = folder.split("/");
  const at = names.findLastIndex((name) => name.toUpperCase() !== name.toLowerCase());
  const name = names[at];
  if (name === undefined) return false;
  names[at] = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  const other = names.join("/");
  const [one, two] = [identify(folder), identify(other)];
  return one !== undefined && one.ino === two?.ino && one.dev === two.dev;
}

/** Nothing when it is not there, or not to be seen. */
export function identify(path: string): Identity | undefined {
  try {
    // Some disks give numbers that are longer than ours, and neighbours would look the same.
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found && { path, dev: found.dev, ino: found.ino };
  } catch {
    return undefined;
  }
}
