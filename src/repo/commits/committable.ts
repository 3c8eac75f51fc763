// Whether all that is in a worktree can become one commit on the story's branch. Asked before a task is
// completed, so that the agent that made the trouble is told and can mend it.

import { join } from "node:path";
import { listNames } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { entryAt } from "../lstat.ts";
import { clearStaleLocks } from "../stale-locks.ts";
import { inProgress } from "../worktree/place.ts";

/**
 * What stands in the way, as sentences for whoever works there; nothing when all is well. What is at the
 * excluded paths is never committed, and may be what it likes.
 */
export async function whyNotCommittable(
  git: Git,
  gitDir: string,
  storyId: string,
  exclude: readonly string[] = [],
): Promise<string | undefined> {
  const elsewhere = await whyNotOnBranch(git, storyId);
  if (elsewhere !== undefined) return elsewhere;
  await clearStaleLocks(git);
  const unfinished = inProgress(gitDir);
  if (unfinished !== undefined) {
    return `There is a ${unfinished} in progress. Finish it, or abort it, first.`;
  }
  // Asked by itself: of a very large index the whole list would be cut, and a conflict with it.
  const unmerged = await git.ask(["ls-files", "--unmerged", "-z"]);
  if (unmerged !== "") return "There are merge conflicts. Resolve them first.";
  return (await whyInOwnRepository(git, exclude)) ?? whyLinked(git);
}

/** Without its `.git` file git would take the folder for a part of the project around it. */
export const isWorktree = ({ folder }: Git): boolean => entryAt(join(folder, ".git")) !== undefined;

/** Asked first of all: nothing can be said of work that is somewhere else. */
export async function whyNotOnBranch(git: Git, storyId: string): Promise<string | undefined> {
  if (!isWorktree(git)) {
    return `There is no worktree at ${git.folder} any more: it was removed, or its .git file was. What was in it cannot be committed.`;
  }
  const branch = storyBranch(storyId);
  const head = await git.attempt(["symbolic-ref", "--quiet", "HEAD"]);
  return head.stdout === `refs/heads/${branch}`
    ? undefined
    : `This worktree is not on its branch ${branch} any more. Go back to it with \`git switch ${branch}\`, and bring what you committed elsewhere along.`;
}

/** Told by the slash at its end: git goes into every other folder. Without a commit it cannot even be added. */
async function whyInOwnRepository(
  git: Git,
  exclude: readonly string[],
): Promise<string | undefined> {
  const without = exclude.map((path) => `:(top,exclude,literal)${path}`);
  const listed = ["ls-files", "--others", "--exclude-standard", "-z", "--", ":(top)", ...without];
  const others = await git.ask(listed);
  const nested = others.split("\0").filter((path) => path.endsWith("/"));
  return nested.length === 0
    ? undefined
    : `${nested.map((path) => path.slice(0, -1)).join(", ")} is a git repository of its own: its files would be in no commit. Remove its .git folder, or the whole of it.`;
}

/** Such a repository that was added already. Git no longer sees its files, whether it has a .git folder or not. */
async function whyLinked(git: Git): Promise<string | undefined> {
  const links = (await git.ask(["ls-files", "--stage", "-z"]))
    .split("\0")
    .flatMap((entry) =>
      entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : [],
    );
  if (links.length === 0) return undefined;
  const submodules = await submodulesOf(git);
  const filled = links.filter((path) => !submodules.has(path) && isFilled(join(git.folder, path)));
  return filled.length === 0
    ? undefined
    : `${filled.join(", ")} was added as a git repository of its own: its files would be in no commit. Run \`git rm --cached\` on it, and remove its .git folder, or the whole of it.`;
}

async function submodulesOf(git: Git): Promise<ReadonlySet<string>> {
  const asked = ["config", "-z", "--file", ".gitmodules", "--get-regexp", String.raw`\.path$`];
  const { stdout } = await git.attempt(asked);
  return new Set(stdout.split("\0").map((entry) => entry.slice(entry.indexOf("\n") + 1)));
}

/** A link that nobody has fetched is an empty folder, as in any worktree. */
const isFilled = (folder: string): boolean =>
  entryAt(folder)?.isDirectory() === true && listNames(folder).length > 0;
