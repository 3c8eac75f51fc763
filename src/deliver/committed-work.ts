// A story's work with nothing of its own left to commit: a person's edit of its files in its worktree is merged with it.

import { commitRest } from "../repo/commits/commits.ts";
import { storyFolder } from "../repo/worktree/bring-story.ts";
import { findWork, type DeliverContext, type StoryWork } from "./story-work.ts";

export async function findCommittedWork(
  context: DeliverContext,
  storyId: string,
): Promise<StoryWork> {
  const work = await findWork(context, storyId);
  if (work.worktree === undefined) return work;
  const look = ["status", "--porcelain", "--untracked-files=all", "--"];
  const folder = `:(top,literal)${storyFolder(storyId)}`;
  if ((await work.worktree.ask([...look, folder])) === "") return work;
  await commitRest({ git: work.worktree, storyId, exclude: [] });
  return findWork(context, storyId);
}
