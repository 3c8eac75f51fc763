// What is at the path of a story's worktree.

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { listNames, readTextIfThere } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import type { Repository } from "../repository.ts";
import { headRef } from "../../machine/programs/head.ts";
import { entryAt } from "../lstat.ts";
import { gitLinkOf } from "./git-links.ts";
import { commitOf, relationOf, type Relation } from "../refs.ts";

export type WorktreePlace =
  | { readonly kind: "free" }
  /** `how` ends a sentence: "it is a file". */
  | { readonly kind: "occupied"; readonly how: string }
  /** Only a `.git` file that leads nowhere: a killed `git worktree add`. */
  | { readonly kind: "incomplete" }
  | { readonly kind: "moved"; readonly gitDir: string }
  | PresentWorktree;

export interface PresentWorktree {
  readonly kind: "worktree";
  readonly gitDir: string;
  readonly branch: string | undefined;
  readonly inProgress: string | undefined;
  readonly isUnfinished: boolean;
  /** Set only when HEAD is detached. */
  readonly head: string | undefined;
  /** Set only when HEAD is detached. */
  readonly headToBranch: Relation | undefined;
  /** Read only when HEAD is detached; otherwise false. */
  readonly isDirty: boolean;
}

/** The reason git writes into a worktree's lock while adding it. */
export const GIT_IS_ADDING = "initializing";
/** A file in the worktree's git folder, from its addition until all files are checked out. */
export const UNFINISHED_MARKER = "saga-unfinished";

export async function readPlace(
  repository: Repository,
  folder: string,
  local: string | undefined,
): Promise<WorktreePlace> {
  const blocked = linkAbove(repository, folder);
  if (blocked !== undefined) return { kind: "occupied", how: blocked };
  const found = entryAt(folder);
  if (found === undefined) return { kind: "free" };
  if (found.isSymbolicLink()) return { kind: "occupied", how: "is a link" };
  if (!found.isDirectory()) return { kind: "occupied", how: "is a file" };
  const names = listNames(folder);
  if (names.length === 0) return { kind: "free" };
  const dotGit = entryAt(join(folder, ".git"));
  if (dotGit === undefined) {
    return { kind: "occupied", how: "is a folder with other files, not a worktree" };
  }
  if (!dotGit.isFile()) return { kind: "occupied", how: "is another git repository" };
  return readLinked(repository, folder, { local, isEmpty: names.length === 1 });
}

async function readLinked(
  repository: Repository,
  folder: string,
  { local, isEmpty }: { local: string | undefined; isEmpty: boolean },
): Promise<WorktreePlace> {
  const link = gitLinkOf(repository, folder);
  switch (link.kind) {
    case "ours":
      if (isEmpty && lockOf(link.gitDir) === GIT_IS_ADDING) return { kind: "incomplete" };
      return readWorktree(repository.git.at(folder), link.gitDir, local);
    case "moved":
      return link;
    case "copy":
      return { kind: "occupied", how: `is a copy of the worktree ${link.of}` };
    case "unknown":
      return isEmpty
        ? { kind: "incomplete" }
        : { kind: "occupied", how: "has a .git file that leads nowhere" };
    case "foreign":
      return { kind: "occupied", how: `belongs to another repository (${link.leadsTo})` };
  }
}

/** A symlink above the folder would put the worktree in a different place than its path says. */
function linkAbove({ project }: Repository, folder: string): string | undefined {
  const parts = relative(project, folder).split("/").slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const above = join(project, ...parts.slice(0, depth));
    const found = entryAt(above);
    if (found?.isSymbolicLink()) return `is behind a link (${above})`;
    if (found !== undefined && !found.isDirectory()) return `is below a file (${above})`;
  }
  return undefined;
}

async function readWorktree(
  git: Git,
  gitDir: string,
  local: string | undefined,
): Promise<PresentWorktree> {
  const branch = await headRef(git);
  const isDetached = branch === undefined;
  const head = isDetached ? await commitOf(git, "HEAD") : undefined;
  return {
    kind: "worktree",
    gitDir,
    branch: branch?.replace("refs/heads/", ""),
    head,
    inProgress: inProgress(gitDir),
    isUnfinished: !existsSync(join(gitDir, "index")) || existsSync(join(gitDir, UNFINISHED_MARKER)),
    headToBranch: head && local ? await relationOf(git, head, local) : undefined,
    isDirty: isDetached && (await isDirty(git)),
  };
}

/** Untracked files count, ignored ones do not. */
export async function isDirty(git: Git, exclude: readonly string[] = []): Promise<boolean> {
  const excluded = exclude.map((path) => `:(top,exclude,literal)${path}`);
  const args = ["status", "--porcelain", "-z", "--untracked-files=normal", "--", ":(top)"];
  const status = await git.ask([...args, ...excluded], {
    // Read only: without this, `git status` writes the index.
    env: { GIT_OPTIONAL_LOCKS: "0" },
  });
  return status !== "";
}

const IN_PROGRESS: readonly (readonly [file: string, operation: string])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
];

/** The git operation that is in progress in a worktree. */
export const inProgress = (gitDir: string): string | undefined =>
  IN_PROGRESS.find(([file]) => existsSync(join(gitDir, file)))?.[1];

/** The reason of a worktree's lock, which may be empty. Undefined when it is not locked. */
export const lockOf = (gitDir: string): string | undefined =>
  readTextIfThere(join(gitDir, "locked"))?.trim();
