// The story's own folder comes into a worktree before anything else, whole or not at all. From then on
// the copy there is the true one, so that a change made to the story at any moment lands in it, or is
// brought along from the project.

import { existsSync, realpathSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { SagaError } from "../../errors.ts";
import { diskError, isInside, makeFolder } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { removeTree } from "../../machine/files/remove-tree.ts";
import type { Base, Repository } from "../repository.ts";
import { isAncestor } from "../refs.ts";

export interface CarryRequest {
  readonly repository: Repository;
  readonly storyId: string;
  readonly base: Base;
  readonly carryStory: (folder: string) => Promise<void>;
}

export type StoryOrigin = "from the project" | "from the branch";

export const storyFolder = (storyId: string): string => `.saga/stories/${storyId}`;

const storyFile = (folder: string, storyId: string): string =>
  join(folder, storyFolder(storyId), "story.json");

/** On a branch with work of its own, the story that is committed there is further than the project's. */
export async function storySource(
  git: Git,
  head: string,
  { storyId, base }: CarryRequest,
): Promise<StoryOrigin> {
  const isFresh = await isAncestor(git, head, base.commit);
  return isFresh || !(await hasStory(git, storyId)) ? "from the project" : "from the branch";
}

/** Whether it is there then. The index is HEAD's. */
export async function bringStory(
  bringing: CarryRequest,
  folder: string,
  source: StoryOrigin,
): Promise<boolean> {
  const { repository, storyId } = bringing;
  if (source === "from the project") await carryFromProject(bringing, folder);
  else await checkOutStory(repository.git.at(folder), storyId);
  return existsSync(storyFile(folder, storyId));
}

/** For a worktree that is complete, on a branch that never had the story. */
export async function carryIfMissing(bringing: CarryRequest, folder: string): Promise<void> {
  if (existsSync(storyFile(folder, bringing.storyId))) return;
  const git = bringing.repository.git.at(folder);
  if (!(await hasStory(git, bringing.storyId))) await carryFromProject(bringing, folder);
}

const hasStory = async (git: Git, storyId: string): Promise<boolean> =>
  (await git.attempt(["cat-file", "-e", `HEAD:${storyFolder(storyId)}/story.json`])).isOk;

async function carryFromProject(
  { storyId, carryStory }: CarryRequest,
  folder: string,
): Promise<void> {
  if (existsSync(storyFile(folder, storyId))) return;
  const target = join(folder, storyFolder(storyId));
  // The branch may have a link there.
  if (!isInside(realpathSync.native(folder), target)) {
    throw new SagaError("unsafe-path", `${target} leads out of the worktree.`, {
      hint: "Replace the link by a folder, and commit that.",
    });
  }
  await carryStory(folder);
}

/** Git writes file by file; renaming the folder makes it one step. */
async function checkOutStory(git: Git, storyId: string): Promise<void> {
  const target = join(git.folder, storyFolder(storyId));
  if (existsSync(target)) return;
  const prefix = ".saga/.story.tmp/";
  const aside = join(git.folder, prefix);
  removeTree(aside);
  const names = await git.ask(["ls-files", "-z", "--", `:(top,literal)${storyFolder(storyId)}`]);
  await git.ask(["checkout-index", "-z", "--stdin", `--prefix=${prefix}`], { input: names });
  try {
    makeFolder(dirname(target));
    renameSync(join(aside, storyFolder(storyId)), target);
  } catch (error) {
    throw diskError(error, target);
  }
  removeTree(aside);
}
