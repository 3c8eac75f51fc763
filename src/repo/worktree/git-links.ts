// The two links between a worktree and its repository: the `.git` file in the worktree's folder names its git
// folder (`<common>/worktrees/<name>`), and the file `gitdir` in there names the `.git` file.
//
// After a project is moved both are wrong; after it is copied both point into the original. We do not use
// `git worktree repair`: run in a copy, it rewrites the links of the original, for every worktree it lists.
// The functions here only write to the two files of this repository.

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
import { gitDirIn } from "../../machine/programs/common-dir.ts";
import type { Repository } from "../repository.ts";
import { entryAt } from "../lstat.ts";

/** How a folder with a `.git` file relates to this repository. */
export type GitLink =
  | { readonly kind: "ours"; readonly gitDir: string }
  /** Ours, but at least one link is wrong because the project was moved or copied. */
  | { readonly kind: "moved"; readonly gitDir: string }
  | { readonly kind: "copy"; readonly of: string }
  /** Its git folder does not exist, or was never completed. */
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
  // The git folder and the folder it names point at each other, so the real worktree is that folder.
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

/** Rewrites both links of a worktree. After a kill in between, it is still recognised as moved. */
export function repairLinks(folder: string, gitDir: string): void {
  // Beside the worktree: inside it, a temporary file left by a kill would be committed.
  const temporary = join(dirname(folder), `.${basename(folder)}.pointer.tmp`);
  writeAndSync(temporary, `gitdir: ${gitDir}\n`);
  renameSync(temporary, join(folder, ".git"));
  syncFolder(folder);
  writeBackLink(folder, gitDir);
}

/** Tells git that the worktree is at `folder`, which need not exist. */
export const writeBackLink = (folder: string, gitDir: string): void =>
  writeDurably(join(gitDir, "gitdir"), `${join(folder, ".git")}\n`);

/** The git folders of all linked worktrees, read from this repository's files. */
export const gitDirsOf = ({ commonDir }: Repository): string[] =>
  listNames(join(commonDir, "worktrees")).map((name) => join(commonDir, "worktrees", name));

/** The worktree folder that a git folder names. */
export function linkedFolder(gitDir: string): string | undefined {
  const text = readTextIfThere(join(gitDir, "gitdir"))?.replace(/[\r\n]+$/, "");
  return text ? dirname(resolve(gitDir, text)) : undefined;
}

export function isSamePath(one: string | undefined, other: string): boolean {
  if (one === undefined) return false;
  const place = (path: string): string => ifThere(() => realpathSync.native(path)) ?? resolve(path);
  return place(one) === place(other);
}

/** The git folder that a folder's `.git` file names. Undefined without a readable one. */
export function gitDirOf(folder: string): string | undefined {
  const file = join(folder, ".git");
  if (!entryAt(file)?.isFile()) return undefined;
  const path = gitDirIn(readTextIfThere(file) ?? "");
  return path === undefined ? undefined : resolve(folder, path);
}

/**
 * Whether both links name one other project, at the same relative paths as here. Then this is that project,
 * moved or copied.
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
