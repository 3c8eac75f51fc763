// The scratch worktree in which a delivery is combined and verified: detached, used only by Saga, and removed
// afterwards. What a killed process left is recognised by its path and removed first.
//
// It is next to the stories' worktrees, so that relative links and paths work the same for checks. It cannot be inside
// `.git`: Jest finds no tests there.

import { basename, join } from "node:path";
import { SagaError } from "../../errors.ts";
import {
  diskError,
  isInside,
  listNames,
  makeFolder,
  readTextIfThere,
} from "../../machine/files/files.ts";
import type { Git } from "../../machine/programs/git.ts";
import { diskPath, listRawNames } from "../../machine/files/raw-bytes.ts";
import { removeTree } from "../../machine/files/remove-tree.ts";
import { waitUntil } from "../../machine/processes/timer.ts";
import { scratchWorktree } from "../../story/definition/names.ts";
import type { Repository } from "../repository.ts";
import { entryAt } from "../lstat.ts";
import { gitIsRunning, runningGit } from "../stale-locks.ts";
import {
  gitLinkOf,
  linkedFolder,
  gitDirsOf,
  repairLinks,
  isSamePath,
} from "../worktree/git-links.ts";
import { CHECKOUT, steadily } from "../deterministic-git.ts";

/** A git process that outlived its parent may still write files. */
const GIT_WAIT_MS = 60_000;

export const scratchFolder = ({ project }: Repository, storyId: string): string =>
  join(project, scratchWorktree(storyId));

/** At a commit, without files: merges there use the attributes of that commit. */
export async function openScratch(
  repository: Repository,
  storyId: string,
  commit: string,
): Promise<Git> {
  await clearScratch(repository, storyId);
  const folder = scratchFolder(repository, storyId);
  makeFolder(join(folder, ".."));
  const add = ["worktree", "add", "--quiet", "--detach", "--no-checkout"];
  await repository.git.ask([...add, "--", folder, commit]);
  return steadily(repository.git.at(folder), CHECKOUT);
}

/** Checks out all files of a commit. */
export const fillScratch = async (git: Git, commit: string): Promise<void> =>
  void (await git.ask(["reset", "--quiet", "--hard", commit]));

export async function clearScratch(repository: Repository, storyId: string): Promise<void> {
  const folder = scratchFolder(repository, storyId);
  await waitForGit(folder);
  requireScratch(repository, folder);
  removeFolder(folder);
  for (const gitDir of gitDirsOf(repository)) {
    const linked = linkedFolder(gitDir);
    // Git was killed before it wrote the path of the folder.
    if (linked === undefined && basename(gitDir) === basename(folder)) {
      removeTree(gitDir);
    }
    if (!isSamePath(linked, folder)) continue;
    // --force twice: the second one overrides the lock that git holds while adding a worktree.
    await repository.git.ask(["worktree", "remove", "--force", "--force", "--", folder]);
  }
}

async function waitForGit(folder: string): Promise<void> {
  let pid: number | undefined;
  const isQuiet = (): boolean => {
    pid = entryAt(folder)?.isDirectory() ? runningGit(folder) : undefined;
    return pid === undefined;
  };
  await waitUntil(isQuiet, { maxMs: GIT_WAIT_MS });
  if (pid !== undefined) throw gitIsRunning(folder, pid);
}

/** Anything else at the scratch's path belongs to a person and is not removed. */
function requireScratch(repository: Repository, folder: string): void {
  const how = whyNotScratch(repository, folder);
  if (how === undefined) return;
  throw new SagaError("unsafe-path", `The scratch worktree cannot be at ${folder}: it ${how}.`, {
    hint: "Nothing there was touched. Move it away and run the command again.",
  });
}

function whyNotScratch(repository: Repository, folder: string): string | undefined {
  if (!isInside(repository.project, join(folder, ".."))) return "is behind a link";
  const entry = entryAt(folder);
  if (entry === undefined) return undefined;
  if (!entry.isDirectory()) return "is a file or a link";
  const names = listNames(folder);
  if (names.length === 0) return undefined;
  const link = gitLinkOf(repository, folder);
  switch (link.kind) {
    case "moved":
      repairLinks(folder, link.gitDir);
      return whyNotScratch(repository, folder);
    case "ours": {
      const head = readTextIfThere(join(link.gitDir, "HEAD")) ?? "";
      return head.startsWith("ref:") ? "has a branch checked out" : undefined;
    }
    case "unknown":
      // A killed `git worktree add` leaves only the `.git` file.
      return names.length === 1 && entryAt(join(folder, ".git"))?.isFile()
        ? undefined
        : "has other files";
    case "copy":
    case "foreign":
      return "belongs to another repository or worktree";
  }
}

/** The `.git` file is deleted last: it shows that the folder is ours. */
function removeFolder(folder: string): void {
  if (entryAt(folder) === undefined) return;
  try {
    const names = listRawNames(folder).filter((name) => name !== ".git");
    for (const name of names) removeTree(diskPath(join(folder, name)));
    removeTree(folder);
  } catch (error) {
    throw diskError(error, folder);
  }
}
