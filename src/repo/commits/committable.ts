// Whether everything in a worktree can become one commit on the story's branch. Checked before a task is completed, so
// that the agent that caused a problem can fix it.

import { join } from "node:path";
import { listNames } from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { headRef } from "../../machine/programs/head.ts";
import { mayListRepositories } from "../../machine/programs/index-repositories.ts";
import { readWorkingFiles, type WorkingFiles } from "../diff/working-files.ts";
import { entryAt } from "../lstat.ts";
import { clearStaleLocks } from "../stale-locks.ts";
import { inProgress } from "../worktree/place.ts";

export type Committable =
  /** What prevents the commit, in sentences for the agent. */
  { readonly problem: string } | { readonly problem?: undefined; readonly files: WorkingFiles };

/** Excluded paths are never committed, so they may contain anything. */
export async function judgeCommittable(
  git: Git,
  gitDir: string,
  storyId: string,
  exclude: readonly string[] = [],
): Promise<Committable> {
  const wrongBranch = await whyNotOnBranch(git, storyId);
  if (wrongBranch !== undefined) return { problem: wrongBranch };
  await clearStaleLocks(git);
  const operation = inProgress(gitDir);
  if (operation !== undefined) {
    return { problem: `A ${operation} is in progress. Finish or abort it first.` };
  }
  const files = await readWorkingFiles(git, exclude);
  if (await hasConflicts(git, files, exclude)) {
    return { problem: "There are merge conflicts. Resolve them first." };
  }
  const problem = whyInOwnRepository(files.untracked) ?? (await whyLinked(git));
  return problem === undefined ? { files } : { problem };
}

/** The list of very many changes is cut off, and could lose a conflict: then they are listed alone. */
const MAX_LISTED = 100_000;

/** Also below the excluded paths: a conflict in the index prevents every commit. */
const hasConflicts = async (
  git: Git,
  { changed, conflicts }: WorkingFiles,
  exclude: readonly string[],
): Promise<boolean> =>
  exclude.length === 0 && changed.length < MAX_LISTED
    ? conflicts.length > 0
    : (await git.ask(["ls-files", "--unmerged", "-z"])) !== "";

/** Without its `.git` file, git would treat the folder as a part of the surrounding project. */
export const isWorktree = ({ folder }: Git): boolean => entryAt(join(folder, ".git")) !== undefined;

/** Checked first: on another branch, the other checks would be about other work. */
export async function whyNotOnBranch(git: Git, storyId: string): Promise<string | undefined> {
  if (!isWorktree(git)) {
    return `There is no worktree at ${git.folder} any more: the folder or its .git file was removed. Its files cannot be committed.`;
  }
  const branch = storyBranch(storyId);
  return (await headRef(git)) === `refs/heads/${branch}`
    ? undefined
    : `This worktree is not on its branch ${branch} any more. Return to it with \`git switch ${branch}\`, and bring the commits that you made elsewhere.`;
}

/** Git lists the files of every other folder, so a path that ends with a slash is a nested repository. */
function whyInOwnRepository(others: readonly string[]): string | undefined {
  const nested = others.filter((path) => path.endsWith("/"));
  return nested.length === 0
    ? undefined
    : `${nested.map((path) => path.slice(0, -1)).join(", ")} is a nested git repository: its files would not be committed. Remove its .git folder, or all of it.`;
}

/** A nested repository that was already added: git ignores its files, even without its .git folder. */
async function whyLinked(git: Git): Promise<string | undefined> {
  if (!mayListRepositories(git, {})) return undefined;
  const staged = (await git.ask(["ls-files", "-z", "--stage"])).split("\0");
  const links = staged.flatMap((entry) =>
    entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : [],
  );
  if (links.length === 0) return undefined;
  const submodules = await submodulesOf(git);
  const filled = links.filter((path) => !submodules.has(path) && isFilled(join(git.folder, path)));
  return filled.length === 0
    ? undefined
    : `${filled.join(", ")} was added as a nested git repository: its files would not be committed. Run \`git rm --cached\` on it, and remove its .git folder, or all of it.`;
}

async function submodulesOf(git: Git): Promise<ReadonlySet<string>> {
  const args = ["config", "-z", "--file", ".gitmodules", "--get-regexp", String.raw`\.path$`];
  const { stdout } = await git.attempt(args);
  return new Set(stdout.split("\0").map((entry) => entry.slice(entry.indexOf("\n") + 1)));
}

/** A submodule that was not fetched is an empty folder. */
const isFilled = (folder: string): boolean =>
  entryAt(folder)?.isDirectory() === true && listNames(folder).length > 0;
