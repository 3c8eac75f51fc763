// A checkout in which a delivery is put together and verified: nobody's but Saga's, on no branch, gone
// when it is over. What a killed process left of one is known by its place, and cleared away first.
//
// It is a neighbour of the stories' worktrees, whose checks are run in it: a link or a path that works
// there works here. Below `.git`, where nobody would see it, Jest finds no test at all.

import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
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
import { scratchWorktree } from "../../story/definition/names.ts";
import type { Repository } from "../repository.ts";
import { entryAt } from "../lstat.ts";
import { gitAtWork } from "../stale-locks.ts";
import {
  gitLinkOf,
  linkedFolder,
  gitDirsOf,
  repairLinks,
  isSamePath,
} from "../worktree/git-links.ts";
import { CHECKOUT, steadily } from "../deterministic-git.ts";

/** A git that outlived the process that started it may still be writing files. */
const GIT_WAIT_MS = 60_000;
const POLL_MS = 50;

export const scratchFolder = ({ project }: Repository, storyId: string): string =>
  join(project, scratchWorktree(storyId));

/** At a commit, and without files: what is merged there is merged by its own attributes. */
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

/** All files of a commit. */
export const fillScratch = async (git: Git, commit: string): Promise<void> =>
  void (await git.ask(["reset", "--quiet", "--hard", commit]));

export async function clearScratch(repository: Repository, storyId: string): Promise<void> {
  const folder = scratchFolder(repository, storyId);
  await waitForGit(folder);
  requireScratch(repository, folder);
  removeFolder(folder);
  for (const gitDir of gitDirsOf(repository)) {
    const named = linkedFolder(gitDir);
    // Git was cut off before it wrote down where the folder is to be.
    if (named === undefined && basename(gitDir) === basename(folder)) {
      removeTree(gitDir);
    }
    if (!isSamePath(named, folder)) continue;
    // Twice: once for changes, of which there are none, and once for git's lock while it adds.
    await repository.git.ask(["worktree", "remove", "--force", "--force", "--", folder]);
  }
}

async function waitForGit(folder: string): Promise<void> {
  const until = Date.now() + GIT_WAIT_MS;
  while (entryAt(folder)?.isDirectory()) {
    const pid = gitAtWork(folder);
    if (pid === undefined) return;
    if (Date.now() > until) {
      throw new SagaError("in-use", `Git is at work in ${folder} (process ${pid}).`, {
        hint: "Wait for it to end, and run the command again.",
      });
    }
    await wait(POLL_MS);
  }
}

/** Anything else at its place is somebody's. */
function requireScratch(repository: Repository, folder: string): void {
  const how = whyNotScratch(repository, folder);
  if (how === undefined) return;
  throw new SagaError("unsafe-path", `Nothing can be merged in ${folder}: it ${how}.`, {
    hint: "Nothing there was touched. Move it away, and run the command again.",
  });
}

function whyNotScratch(repository: Repository, folder: string): string | undefined {
  if (!isInside(repository.project, join(folder, ".."))) return "is behind a link";
  const entry = entryAt(folder);
  if (entry === undefined) return undefined;
  if (!entry.isDirectory()) return "is a file or a link";
  const names = listNames(folder);
  if (names.length === 0) return undefined;
  const bond = gitLinkOf(repository, folder);
  switch (bond.kind) {
    case "moved":
      repairLinks(folder, bond.gitDir);
      return whyNotScratch(repository, folder);
    case "ours": {
      const head = readTextIfThere(join(bond.gitDir, "HEAD")) ?? "";
      return head.startsWith("ref:") ? "has a branch checked out" : undefined;
    }
    case "unknown":
      // An addition that was cut off.
      return names.length === 1 && entryAt(join(folder, ".git"))?.isFile()
        ? undefined
        : "holds files of its own";
    case "copy":
    case "foreign":
      return "belongs to another repository or worktree";
  }
}

/** The `.git` file goes last: until then it is known whose the rest is. */
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
