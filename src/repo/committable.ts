// Whether all that is in a worktree can become one commit on the story's branch. Asked before a task is
// completed, so that the agent that made the trouble is told and can mend it.

import type { Git } from "../machine/git.ts";
import { storyBranch } from "../story/names.ts";
import { clearStaleLocks } from "./locks.ts";
import { inProgress } from "./place.ts";

/** What stands in the way, as sentences for whoever works there; nothing when all is well. */
export async function whyNotCommittable(
  git: Git,
  gitDir: string,
  storyId: string,
): Promise<string | undefined> {
  await clearStaleLocks(git);
  const branch = storyBranch(storyId);
  const head = await git.attempt(["symbolic-ref", "--quiet", "HEAD"]);
  if (head.stdout !== `refs/heads/${branch}`) {
    return `This worktree is not on its branch ${branch} any more. Go back to it with \`git switch ${branch}\`, and bring what you committed elsewhere along.`;
  }
  const unfinished = inProgress(gitDir);
  if (unfinished !== undefined) {
    return `There is a ${unfinished} in progress. Finish it, or abort it, first.`;
  }
  const unmerged = await git.ask(["ls-files", "--unmerged", "-z"]);
  if (unmerged !== "") return "There are merge conflicts. Resolve them first.";
  const nested = await nestedRepositories(git);
  if (nested.length > 0) {
    return `${nested.join(", ")} is a git repository of its own: its files would be in no commit. Remove its .git folder, or the whole of it.`;
  }
  return undefined;
}

/** What `add` would take as a link to a commit, and is no submodule: told by the slash at its end. */
async function nestedRepositories(git: Git): Promise<string[]> {
  const { stdout } = await git.attempt([
    "add",
    "--all",
    "--sparse",
    "--dry-run",
    "--ignore-errors",
  ]);
  return [...stdout.matchAll(/^add '(?<path>.+)\/'$/gm)].map(
    ({ groups }) => groups?.["path"] ?? "",
  );
}
