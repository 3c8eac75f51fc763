// Puts the story's own folder into a worktree before any other file, whole or not at all. From then on the
// worktree's copy is the authoritative one: a change to the story made at any moment either lands in that
// copy or is carried over from the project.

import { existsSync, realpathSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { SagaError } from "../../errors.ts";
import { diskError, isInside, makeFolder } from "../../machine/files/files.ts";
import { answerOf, type Git } from "../../machine/programs/git.ts";
import { removeTree } from "../../machine/files/remove-tree.ts";
import type { Base, Repository } from "../repository.ts";
import { isAncestor } from "../refs.ts";

export interface CarryRequest {
  readonly repository: Repository;
  readonly storyId: string;
  readonly base: Base;
  /** Copies the story's files from the project into a worktree, all or none. */
  readonly copyStoryToWorktree: (folder: string) => Promise<void>;
}

export type StoryOrigin = "project" | "branch";

export const storyFolder = (storyId: string): string => `.saga/stories/${storyId}`;

const storyFile = (folder: string, storyId: string): string =>
  join(folder, storyFolder(storyId), "story.json");

/** A branch that already has commits holds a newer version of the story than the project does. */
export async function storySource(
  git: Git,
  head: string,
  { storyId, base }: CarryRequest,
): Promise<StoryOrigin> {
  const isFresh = await isAncestor(git, head, base.commit);
  return isFresh || !(await hasStory(git, storyId)) ? "project" : "branch";
}

/** Expects an index that matches HEAD. Returns whether the worktree has the story afterwards. */
export async function bringStory(
  request: CarryRequest,
  folder: string,
  source: StoryOrigin,
): Promise<boolean> {
  const { repository, storyId } = request;
  if (source === "project") await carryFromProject(request, folder);
  else await checkOutStory(repository.git.at(folder), storyId);
  return existsSync(storyFile(folder, storyId));
}

/** For a complete worktree on a branch that never had the story. */
export async function carryIfMissing(request: CarryRequest, folder: string): Promise<void> {
  if (existsSync(storyFile(folder, request.storyId))) return;
  const git = request.repository.git.at(folder);
  if (!(await hasStory(git, request.storyId))) await carryFromProject(request, folder);
}

const hasStory = async (git: Git, storyId: string): Promise<boolean> =>
  (await answerOf(git, ["cat-file", "-e", `HEAD:${storyFolder(storyId)}/story.json`])).isOk;

async function carryFromProject(
  { storyId, copyStoryToWorktree }: CarryRequest,
  folder: string,
): Promise<void> {
  if (existsSync(storyFile(folder, storyId))) return;
  const target = join(folder, storyFolder(storyId));
  // The branch may contain a symlink at this path.
  if (!isInside(realpathSync.native(folder), target)) {
    throw new SagaError("unsafe-path", `${target} leads out of the worktree through a symlink.`, {
      hint: "Replace the symlink with a folder on the story's branch, and commit that.",
    });
  }
  await copyStoryToWorktree(folder);
}

/** Git writes file by file. Renaming the finished folder makes it atomic. */
async function checkOutStory(git: Git, storyId: string): Promise<void> {
  const target = join(git.folder, storyFolder(storyId));
  if (existsSync(target)) return;
  const prefix = ".saga/.story.tmp/";
  const temporary = join(git.folder, prefix);
  removeTree(temporary);
  const names = await git.ask(["ls-files", "-z", "--", `:(top,literal)${storyFolder(storyId)}`]);
  await git.ask(["checkout-index", "-z", "--stdin", `--prefix=${prefix}`], { input: names });
  try {
    makeFolder(dirname(target));
    renameSync(join(temporary, storyFolder(storyId)), target);
  } catch (error) {
    throw diskError(error, target);
  }
  removeTree(temporary);
}
