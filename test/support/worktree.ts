// A folder that looks like a story's worktree to git and Saga, without a repository.

import type { Project } from "./project.ts";

/** `place` is where it is below `.saga/worktrees`; gives the folder of the story's copy in it. */
export function newWorktree(
  project: Project,
  place: string,
  story: Record<string, unknown>,
): string {
  const worktree = `.saga/worktrees/${place}`;
  const folder = `${worktree}/.saga/stories/${String(story["id"])}`;
  project.write(`${worktree}/.git`, "gitdir: elsewhere\n");
  project.write(`${folder}/story.json`, story);
  return folder;
}
