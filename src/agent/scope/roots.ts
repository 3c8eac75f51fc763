// The root folders of a scope as the disk knows them, looked up once, and whether a path is below one,
// compared as that disk compares names.

import { realpathSync, statSync } from "node:fs";
import type { Scope } from "./scope.ts";
import type { Identity } from "./resolve.ts";

/** A scope with what is looked up on the disk once. */
export interface ScopeRoots {
  readonly scope: Scope;
  readonly project: Identity | undefined;
  /** The real path of the project's `.saga`, which may be a link. */
  readonly saga: string;
  /** The disk ignores case in names. */
  readonly isCaseBlind: boolean;
}

const cache = new WeakMap<Scope, ScopeRoots>();

export function rootsOf(scope: Scope): ScopeRoots {
  const cached = cache.get(scope);
  if (cached !== undefined) return cached;
  const saga = `${scope.project}/.saga`;
  const roots: ScopeRoots = {
    scope,
    project: identify(scope.project),
    saga: identify(saga) ? realpathSync.native(saga) : saga,
    isCaseBlind: isCaseBlind(scope.worktree),
  };
  cache.set(scope, roots);
  return roots;
}

/** The names from a folder down to a path, folded; undefined if the path is not below the folder. */
export function below(
  roots: ScopeRoots,
  folder: string,
  path: string,
): readonly string[] | undefined {
  const top = fold(roots, folder === "/" ? "" : folder);
  const real = fold(roots, path === "/" ? "" : path);
  if (real === top) return [];
  return real.startsWith(`${top}/`) ? real.slice(top.length + 1).split("/") : undefined;
}

/** Two names fold to the same text only if the disk takes them for one name. */
export const fold = (roots: ScopeRoots, text: string): string =>
  roots.isCaseBlind ? text.normalize("NFC").toLowerCase() : text;

/** Invisible characters that some of Apple's disks ignore when they compare names. */
const INVISIBLE = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/gu;

/**
 * A form that names share if any disk that ignores case may take them for one. It matches more than `fold`,
 * so it may forbid but never permit. It goes through upper case because two lower-case letters may share one:
 * `ſ` and `s`.
 */
export const lookalike = (name: string): string =>
  name.replaceAll(INVISIBLE, "").normalize("NFC").toUpperCase().toLowerCase();

/** Whether the folder is also found with its last name in the other case. */
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

/** Undefined if it does not exist or cannot be read. */
export function identify(path: string): Identity | undefined {
  try {
    // Inode numbers may exceed a double's precision: as plain numbers, neighbours would look the same.
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found && { path, dev: found.dev, ino: found.ino };
  } catch {
    return undefined;
  }
}
