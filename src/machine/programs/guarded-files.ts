// The files of a repository that name programs for git to run, and their comparison with a trusted copy.

import {
  cpSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  statSync,
  type BigIntStats,
  type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { readRegularBytes } from "../files/bounded-file.ts";
import { makeFolder } from "../files/files.ts";
import { ifReadable } from "../files/unreadable.ts";
import { removeTree } from "../files/remove-tree.ts";

/** Paths from the git folder that all worktrees share. */
export interface GuardedFiles {
  /** Settings, of which most run nothing. */
  readonly configs: readonly string[];
  /** Trusted as a whole, or not. */
  readonly files: readonly string[];
  /** How the worktrees find the shared folder: always the same text. */
  readonly links: readonly string[];
}

/** Such a file makes git read its settings elsewhere. A repository's own git folder has none. */
const WHOLE = ["info/attributes", "commondir"];
const HOOK = /^[a-z][a-z0-9-]*$/i;

/** `gitDir`: only those that git reads in this checkout, the first one or a linked worktree. */
export function guardedFiles(commonDir: string, trusted?: string, gitDir?: string): GuardedFiles {
  const names = gitDir === commonDir ? [] : worktreesIn(join(commonDir, "worktrees"), gitDir);
  const worktrees = names.map((name) => `worktrees/${name}`);
  const isLink = [commonDir, trusted].some((folder) => folder && isLinkAt(join(folder, "hooks")));
  const hooks = isLink
    ? ["hooks"]
    : namesIn(join(commonDir, "hooks"))
        .filter((name) => HOOK.test(name))
        .map((name) => `hooks/${name}`);
  return {
    configs: ["config", ...["", ...worktrees].map((folder) => join(folder, "config.worktree"))],
    files: [...WHOLE, ...hooks],
    links: worktrees.map((folder) => `${folder}/commondir`),
  };
}

const worktreesIn = (folder: string, gitDir = ""): string[] =>
  dirname(gitDir) === folder ? [basename(gitDir)] : namesIn(folder);

/** Changes with every change to one of them. Their contents are not read. */
export function stateOf(commonDir: string, trusted: string, gitDir?: string): string {
  const { configs, files, links } = guardedFiles(commonDir, trusted, gitDir);
  return [
    ...configs.map((path) => identityAt(join(commonDir, path), statSync)),
    ...[...files, ...links].map((path) => identityAt(join(commonDir, path), lstatSync)),
  ].join(" ");
}

/** Of the file itself, and of all that can happen to it. */
export function identityAt(path: string, look: typeof statSync = statSync): string {
  const stat = ifReadable((): BigIntStats => look(path, { bigint: true }));
  return stat
    ? `${stat.dev}/${stat.ino}/${stat.mode}/${stat.size}/${stat.mtimeNs}/${stat.ctimeNs}`
    : "-";
}

/** Undefined for what is not there, and for what is not a file. */
export const bytesOf = (path: string): Buffer | undefined =>
  ifReadable(() => readRegularBytes(path));

/** What cannot be read, git cannot read either. */
const namesIn = (folder: string): string[] => ifReadable(() => readdirSync(folder)) ?? [];
const entryAt = (path: string): Stats | undefined => ifReadable(() => lstatSync(path));
const isLinkAt = (path: string): boolean => entryAt(path)?.isSymbolicLink() ?? false;

/** Links are the same when they lead to the same place, files when they hold and may do the same. */
export function isSameEntry(one: string, other: string): boolean {
  const [first, second] = [entryAt(one), entryAt(other)];
  if (first === undefined || second === undefined) return first === second;
  if (first.isSymbolicLink() && second.isSymbolicLink()) {
    return readlinkSync(one) === readlinkSync(other);
  }
  const isExecutable = (mode: number): boolean => (mode & 0o111) !== 0;
  return (
    first.isFile() &&
    second.isFile() &&
    isExecutable(first.mode) === isExecutable(second.mode) &&
    bytesOf(one)?.equals(bytesOf(other) ?? Buffer.alloc(0)) === true
  );
}

/** Links as they are. Does nothing where nothing is. */
export function copyEntry(from: string, to: string): void {
  if (entryAt(from) === undefined) return;
  makeFolder(dirname(to));
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, force: true });
}

export function replaceEntry(from: string, to: string): void {
  removeTree(to);
  copyEntry(from, to);
}
