// Reads the state of a story's worktree and branch into a plain value, from which decide.ts chooses a step.
// Read only.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "../../machine/programs/git.ts";
import { objectInfo } from "../../machine/programs/object-reader.ts";
import { storyBranch, storyWorktrees } from "../../story/definition/names.ts";
import type { Repository } from "../repository.ts";
import { entryAt } from "../lstat.ts";
import { listWorktrees } from "./list-worktrees.ts";
import { readPlace, type WorktreePlace } from "./place.ts";
import { gitLinkOf, isSamePath } from "./git-links.ts";
import { relationOf, type Relation } from "../refs.ts";

export interface Situation {
  readonly storyId: string;
  readonly branch: string;
  readonly remote: string | undefined;
  /** Where the worktree is or will be. */
  readonly folder: string;
  readonly place: WorktreePlace;
  readonly local: string | undefined;
  readonly theirs: string | undefined;
  readonly localToTheirs: Relation | undefined;
  /** Another folder that has the branch checked out. */
  readonly otherCheckout: string | undefined;
  /** Worktrees of this story that git still lists although their folders are gone. */
  readonly lost: readonly LostWorktree[];
}

export interface LostWorktree {
  readonly folder: string;
  readonly gitDir: string;
  readonly head: string | undefined;
  readonly branch: string | undefined;
  readonly lock: string | undefined;
  /** At one of this story's own paths, in this project or where the project was before. */
  readonly isOwnPlace: boolean;
  /** The folder exists but belongs to another repository: the original of a copied project. */
  readonly isForeign: boolean;
}

export async function readSituation(repository: Repository, storyId: string): Promise<Situation> {
  const { git } = repository;
  const branch = storyBranch(storyId);
  const folder = findFolder(repository, storyId);
  const remote = repository.remote?.name;
  const { local, theirs } = await readBranch(git, branch, remote);
  const place = await readPlace(repository, folder, local);
  // With a worktree on its branch, no other worktree matters.
  const isSettled = place.kind === "worktree" && place.branch !== undefined;
  const listed = isSettled ? [] : await listWorktrees(repository);
  const others = listed.filter((one) => place.kind === "free" || !isSamePath(one.folder, folder));
  return {
    storyId,
    branch,
    remote,
    folder,
    place,
    local,
    theirs,
    localToTheirs: local && theirs ? await relationOf(git, local, theirs) : undefined,
    otherCheckout: others.find((one) => one.branch === branch && one.isPresent)?.folder,
    lost: others.flatMap(({ isPresent, gitDir, ...one }) => {
      const isOwn = isOwnPlace(storyId, one.folder);
      if (isPresent || gitDir === undefined || !(isOwn || one.branch === branch)) return [];
      const isForeign = existsSync(join(one.folder, ".git"));
      return { ...one, gitDir, isOwnPlace: isOwn, isForeign };
    }),
  };
}

/** The local branch's commit, and the remote's as last fetched. */
async function readBranch(
  git: Git,
  branch: string,
  remote: string | undefined,
): Promise<{ readonly local: string | undefined; readonly theirs: string | undefined }> {
  const local = `refs/heads/${branch}`;
  const theirs = `refs/remotes/${remote}/${branch}`;
  const [here, there] = await objectInfo(git, remote ? [local, theirs] : [local]);
  return { local: here?.id, theirs: there?.id };
}

/** The folder of a story's worktree, if it exists and its links to this repository are intact. */
export function findWorktree(repository: Repository, storyId: string): string | undefined {
  const folder = findFolder(repository, storyId);
  const isThere = entryAt(folder)?.isDirectory() ?? false;
  return isThere && gitLinkOf(repository, folder).kind === "ours" ? folder : undefined;
}

/** The current path, unless one of ours is still at an older path. */
function findFolder(repository: Repository, storyId: string): string {
  const [current = "", ...older] = storyWorktrees(storyId).map((place) =>
    join(repository.project, place),
  );
  if (existsSync(join(current, ".git"))) return current;
  const isOurs = (folder: string): boolean =>
    ["ours", "moved"].includes(gitLinkOf(repository, folder).kind);
  return older.find(isOurs) ?? current;
}

/** Also where the project was before it was moved. */
export const isOwnPlace = (storyId: string, folder: string): boolean =>
  storyWorktrees(storyId).some((place) => folder.endsWith(`/${place}`));
