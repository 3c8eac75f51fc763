// The two pointers of a worktree: the `.git` file in its folder names its git folder
// (`<common>/worktrees/<name>`), and the file `gitdir` there names the `.git` file.
//
// When a project is moved both are wrong; when it is copied both lead into the original. Git has a
// command for this, `git worktree repair`, which is not used: run in a copy, it rewrites the pointers
// of the original, for every worktree it knows of. What is here writes to this repository's own two
// files and to no others.

import { existsSync, realpathSync, renameSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import {
  ifThere,
  listNames,
  readTextIfThere,
  syncFolder,
  writeAndSync,
  writeDurably,
} from "../../machine/files/files.ts";
import type { Repository } from "../repository.ts";
import { entryAt } from "../lstat.ts";

/** How a folder with a `.git` file stands to this repository. */
export type GitLink =
  | { readonly kind: "ours"; readonly gitDir: string }
  /** It is ours, and a pointer is wrong. */
  | { readonly kind: "moved"; readonly gitDir: string }
  | { readonly kind: "copy"; readonly of: string }
  /** Its git folder is not there, or was never finished. */
  | { readonly kind: "unknown"; readonly leadsTo: string | undefined }
  | { readonly kind: "foreign"; readonly leadsTo: string };

export function gitLinkOf(repository: Repository, folder: string): GitLink {
  const leadsTo = gitDirOf(folder);
  if (leadsTo === undefined) return { kind: "unknown", leadsTo };
  const gitDir = join(repository.commonDir, "worktrees", basename(leadsTo));
  const isStraight = isSamePath(leadsTo, gitDir);
  if (!existsSync(join(gitDir, "HEAD"))) return foreignOrUnknown(leadsTo);
  const back = linkedFolder(gitDir);
  if (isStraight && back !== undefined && isSamePath(back, folder)) return { kind: "ours", gitDir };
  // A folder that this git folder names, and that names it: the true one is there, not here.
  if (back !== undefined && isSamePath(gitDirOf(back), gitDir)) {
    return isStraight ? { kind: "copy", of: back } : foreignOrUnknown(leadsTo);
  }
  if (isStraight || isMovedProject(repository, { folder, leadsTo, back })) {
    return { kind: "moved", gitDir };
  }
  return foreignOrUnknown(leadsTo);
}

const foreignOrUnknown = (leadsTo: string): GitLink =>
  existsSync(join(leadsTo, "HEAD")) ? { kind: "foreign", leadsTo } : { kind: "unknown", leadsTo };

/** Makes a worktree's pointers right. Killed in between, the next one finds it astray again. */
export function repairLinks(folder: string, gitDir: string): void {
  // Beside the worktree, where git looks at nothing: in it, what a kill left would be committed.
  const aside = join(dirname(folder), `.${basename(folder)}.pointer.tmp`);
  writeAndSync(aside, `gitdir: ${gitDir}\n`);
  renameSync(aside, join(folder, ".git"));
  syncFolder(folder);
  writeBackLink(folder, gitDir);
}

/** For a folder that is not there: what git believes to be elsewhere is to be here. */
export const writeBackLink = (folder: string, gitDir: string): void =>
  writeDurably(join(gitDir, "gitdir"), `${join(folder, ".git")}\n`);

/** The git folders of all worktrees but the first, as this repository's own files name them. */
export const gitDirsOf = ({ commonDir }: Repository): string[] =>
  listNames(join(commonDir, "worktrees")).map((name) => join(commonDir, "worktrees", name));

/** The folder that a git folder names as its worktree. */
export function linkedFolder(gitDir: string): string | undefined {
  const text = readTextIfThere(join(gitDir, "gitdir"))?.replace(/[\r\n]+$/, "");
  return text ? dirname(resolve(gitDir, text)) : undefined;
}

export function isSamePath(one: string | undefined, other: string): boolean {
  if (one === undefined) return false;
  const place = (path: string): string => ifThere(() => realpathSync.native(path)) ?? resolve(path);
  return place(one) === place(other);
}

/** Where the `.git` file of a folder leads; nothing when it has none that can be read. */
export function gitDirOf(folder: string): string | undefined {
  const file = join(folder, ".git");
  if (!entryAt(file)?.isFile()) return undefined;
  const path = /^gitdir: (?<path>.+?)[\r\n]*$/s.exec(readTextIfThere(file) ?? "")?.groups?.["path"];
  return path === undefined ? undefined : resolve(folder, path);
}

/**
 * Whether both pointers name one project elsewhere, at the same places in it as here: then this is
 * that project, moved or copied.
 */
function isMovedProject(
  { project, commonDir }: Repository,
  { folder, leadsTo, back }: { folder: string; leadsTo: string; back: string | undefined },
): boolean {
  const inProject = `/${relative(project, folder)}`;
  const common = relative(project, commonDir);
  if (back === undefined || !back.endsWith(inProject) || common.startsWith("..")) return false;
  const elsewhere = back.slice(0, -inProject.length);
  return resolve(leadsTo) === join(elsewhere, common, "worktrees", basename(leadsTo));
}
