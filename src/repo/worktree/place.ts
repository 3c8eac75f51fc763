// What is at the place of a story's worktree.

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { listNames, readTextIfThere } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import type { Repository } from "../repository.ts";
import { entryAt } from "../lstat.ts";
import { gitLinkOf } from "./git-links.ts";
import { commitOf, relationOf, type Relation } from "../refs.ts";

export type WorktreePlace =
  | { readonly kind: "free" }
  /** How it is in the way, as the end of a sentence. */
  | { readonly kind: "occupied"; readonly how: string }
  /** Nothing but a `.git` file that leads nowhere: an addition that was killed. */
  | { readonly kind: "incomplete" }
  | { readonly kind: "moved"; readonly gitDir: string }
  | PresentWorktree;

export interface PresentWorktree {
  readonly kind: "worktree";
  readonly gitDir: string;
  readonly branch: string | undefined;
  readonly inProgress: string | undefined;
  readonly isUnfinished: boolean;
  /** Only when no branch is checked out. */
  readonly head: string | undefined;
  /** Only when no branch is checked out. */
  readonly headToBranch: Relation | undefined;
  /** Only looked at when no branch is checked out. */
  readonly isDirty: boolean;
}

/** What git writes into the lock while it adds a worktree. */
export const GIT_IS_ADDING = "initializing";
/** In the worktree's git folder, from right after the addition until all files are there. */
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
    return { kind: "occupied", how: "is a folder with files of its own, and no worktree" };
  }
  if (!dotGit.isFile()) return { kind: "occupied", how: "is a repository of its own" };
  return readLinked(repository, folder, { local, isEmpty: names.length === 1 });
}

async function readLinked(
  repository: Repository,
  folder: string,
  { local, isEmpty }: { local: string | undefined; isEmpty: boolean },
): Promise<WorktreePlace> {
  const bond = gitLinkOf(repository, folder);
  switch (bond.kind) {
    case "ours":
      if (isEmpty && lockOf(bond.gitDir) === GIT_IS_ADDING) return { kind: "incomplete" };
      return readWorktree(repository.git.at(folder), bond.gitDir, local);
    case "moved":
      return bond;
    case "copy":
      return { kind: "occupied", how: `is a copy of the worktree ${bond.of}` };
    case "unknown":
      return isEmpty
        ? { kind: "incomplete" }
        : { kind: "occupied", how: "has a .git file that leads nowhere" };
    case "foreign":
      return { kind: "occupied", how: `belongs to another repository (${bond.leadsTo})` };
  }
}

/** A link on the way would put the worktree somewhere else than it seems. */
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
  const symbolic = await git.attempt(["symbolic-ref", "--quiet", "HEAD"]);
  const isDetached = !symbolic.isOk;
  const head = isDetached ? await commitOf(git, "HEAD") : undefined;
  return {
    kind: "worktree",
    gitDir,
    branch: isDetached ? undefined : symbolic.stdout.replace("refs/heads/", ""),
    head,
    inProgress: inProgress(gitDir),
    isUnfinished: !existsSync(join(gitDir, "index")) || existsSync(join(gitDir, UNFINISHED_MARKER)),
    headToBranch: head && local ? await relationOf(git, head, local) : undefined,
    isDirty: isDetached && (await isDirty(git)),
  };
}

/** Also by files that git does not know, unless it is told to ignore them. */
export async function isDirty(git: Git, exclude: readonly string[] = []): Promise<boolean> {
  const without = exclude.map((path) => `:(top,exclude,literal)${path}`);
  const look = ["status", "--porcelain", "-z", "--untracked-files=normal", "--", ":(top)"];
  const status = await git.ask([...look, ...without], {
    // It only looks: an index that nobody asked to be written stays as it is.
    env: { GIT_OPTIONAL_LOCKS: "0" },
  });
  return status !== "";
}

const IN_PROGRESS: readonly (readonly [file: string, what: string])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
];

/** What was begun in a worktree and not ended. */
export const inProgress = (gitDir: string): string | undefined =>
  IN_PROGRESS.find(([file]) => existsSync(join(gitDir, file)))?.[1];

/** The reason of a lock, which may be empty. */
export const lockOf = (gitDir: string): string | undefined =>
  readTextIfThere(join(gitDir, "locked"))?.trim();
