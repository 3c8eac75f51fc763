// Lists and restores snapshots. Before a restore changes a worktree, its current files go into a snapshot.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import { requireId, storyBranch } from "../../story/definition/names.ts";
import type { Base, Repository } from "../repository.ts";
import { decide } from "../worktree/decide.ts";
import { entryAt } from "../lstat.ts";
import {
  readSnapshots,
  snapshotFiles,
  withIndexOf,
  type Snapshot,
  type SavedSnapshot,
} from "../snapshots/snapshot.ts";
import { inProgress, UNFINISHED_MARKER } from "../worktree/place.ts";
import { gitLinkOf } from "../worktree/git-links.ts";
import { commitOf, moveRef } from "../refs.ts";
import { findWorktree, readSituation } from "../worktree/situation.ts";
import { prepareWorktree, type WorktreeRequest } from "../worktree/worktree.ts";

export interface SnapshotInfo {
  readonly storyId: string;
  readonly number: number;
  readonly ref: string;
  readonly commit: string;
  readonly savedAtMs: number;
  readonly why: string;
  /** How many files differ from the commit that the snapshot is based on. */
  readonly files: number;
}

/** Of one story or of all, newest first. Git stores seconds: within one, the higher number is newer. */
export async function listSnapshots(git: Git, storyId?: string): Promise<SnapshotInfo[]> {
  const snapshots = await readSnapshots(git, storyId);
  if (snapshots.length === 0) return [];
  const format = "--format=%x01%H%x00%ct%x00%s%x00";
  const options = ["--no-walk=unsorted", "--diff-merges=first-parent", "--no-renames"];
  const text = await git.ask(["log", ...options, "--name-only", format, "--stdin"], {
    input: snapshots.map((one) => `${one.commit}\n`).join(""),
  });
  const facts = new Map(
    text.split("\u0001").map((record) => {
      const [commit = "", seconds = "", why = "", names = ""] = record.split("\0");
      const files = names.split("\n").filter((name) => name !== "").length;
      return [commit, { savedAtMs: Number(seconds) * 1000, why, files }];
    }),
  );
  const found = snapshots.flatMap(({ number, ref, commit, storyId: story }) => {
    const fact = facts.get(commit);
    return fact === undefined ? [] : { storyId: story, number, ref, commit, ...fact };
  });
  return found.toSorted(
    (one, other) => other.savedAtMs - one.savedAtMs || other.number - one.number,
  );
}

/** For a story without a worktree: what to create one from. */
export interface RebuildRequest {
  readonly base: () => Promise<Base>;
  readonly copyStoryToWorktree: WorktreeRequest["copyStoryToWorktree"];
}

export interface RestoreRequest {
  readonly repository: Repository;
  readonly storyId: string;
  readonly number: number;
  /** Paths from the top folder that are left as they are. */
  readonly exclude: readonly string[];
  /** Allows restoring the branch and the worktree too, not only files. */
  readonly rebuild?: RebuildRequest | undefined;
}

export type Restored =
  | {
      readonly kind: "worktree";
      readonly folder: string;
      /** A snapshot of the files before the restore; undefined if everything was committed. */
      readonly saved: Snapshot | undefined;
      /** The story's branch, if it was created again with the worktree. */
      readonly branch?: string;
    }
  | { readonly kind: "branch"; readonly branch: string };

/**
 * Restores into the story's worktree. Without one, the worktree is created again on the commit that the
 * snapshot is based on. If the story's branch has moved since, the snapshot becomes a branch of its own.
 */
export async function restoreSnapshot(request: RestoreRequest): Promise<Restored> {
  const { repository, number } = request;
  const storyId = requireId("story", request.storyId);
  const snapshots = await readSnapshots(repository.git, storyId);
  const snapshot = snapshots.find((one) => one.number === number);
  if (snapshot === undefined) {
    throw new SagaError("not-found", `${storyId} has no snapshot ${number}.`, {
      hint: `List its snapshots with \`saga snapshot list ${storyId}\`.`,
    });
  }
  const { commit } = snapshot;
  const folder = findWorktree(repository, storyId);
  if (folder !== undefined && !isUnfinished(repository, folder)) {
    return restoreFiles(repository.git.at(folder), { ...request, commit });
  }
  return (
    (await restoreStory(request, snapshot)) ??
    restoreAsBranch(repository.git, `keep/${storyId}/${number}`, commit)
  );
}

/** Whether a kill interrupted its checkout, for example during an earlier restore. */
function isUnfinished(repository: Repository, folder: string): boolean {
  const link = gitLinkOf(repository, folder);
  return link.kind === "ours" && existsSync(join(link.gitDir, UNFINISHED_MARKER));
}

/** Restores branch, worktree, files and what was staged. Undefined if the branch has moved since. */
async function restoreStory(
  request: RestoreRequest,
  { commit, parents: [head = "", index] }: SavedSnapshot,
): Promise<Restored | undefined> {
  const { repository, storyId, rebuild } = request;
  const branch = storyBranch(storyId);
  const ref = `refs/heads/${branch}`;
  const tip = await commitOf(repository.git, ref);
  if (rebuild === undefined || (tip !== undefined && tip !== head)) return undefined;
  const { copyStoryToWorktree } = rebuild;
  const base = await rebuild.base();
  // Before the branch is created: without a worktree nothing can be restored.
  const step = decide(await readSituation(repository, storyId), base.commit);
  if (step.kind === "refuse") throw step.error;
  if (tip === undefined) {
    const made = await moveRef(repository.git, { ref, to: head, from: undefined });
    if (!made.isOk) throw notCreated(branch, made.stderr);
  }
  const { folder } = await prepareWorktree({ repository, storyId, base, copyStoryToWorktree });
  const git = repository.git.at(folder);
  const restored = await restoreFiles(git, { ...request, commit });
  if (index !== undefined) {
    await git.ask(["read-tree", index]);
    await git.attempt(["update-index", "-q", "--refresh"]);
  }
  return { ...restored, branch };
}

async function restoreAsBranch(git: Git, branch: string, commit: string): Promise<Restored> {
  const ref = `refs/heads/${branch}`;
  if ((await commitOf(git, ref)) === commit) return { kind: "branch", branch };
  const made = await moveRef(git, { ref, to: commit, from: undefined });
  if (made.isOk) return { kind: "branch", branch };
  throw notCreated(branch, made.stderr);
}

const notCreated = (branch: string, error: string): SagaError =>
  new SagaError("exists", `The branch ${branch} could not be created: ${error}`, {
    hint: "Rename the conflicting branch and run the command again.",
  });

async function restoreFiles(
  git: Git,
  { storyId, number, exclude, commit }: RestoreRequest & { readonly commit: string },
): Promise<Extract<Restored, { readonly kind: "worktree" }>> {
  const gitDir = await git.ask(["rev-parse", "--absolute-git-dir"]);
  const operation = inProgress(gitDir);
  if (operation !== undefined) {
    throw new SagaError("not-ready", `A ${operation} is in progress in ${git.folder}.`, {
      hint: "Finish or abort it there, and run the command again.",
    });
  }
  const why = `before snapshot ${number} was restored`;
  const { snapshot: saved, files } = await snapshotFiles({ git, storyId, why, exclude });
  await requireFree(git, files, commit);
  await withIndexOf(git, files, async (env) => {
    await git.attempt(["update-index", "-q", "--refresh"], { env });
    // A two-way merge: git verifies that no file has changed since it was saved.
    await git.ask(["read-tree", "-m", "-u", files, commit], { env });
  });
  await git.ask(["reset", "--quiet"]);
  return { kind: "worktree", folder: git.folder, saved };
}

/** Ignored files are in no snapshot, and git would overwrite them. */
async function requireFree(git: Git, files: string, commit: string): Promise<void> {
  const added = ["diff-tree", "-r", "-z", "--no-renames", "--diff-filter=A", "--name-only"];
  const names = (await git.ask([...added, files, commit])).split("\0");
  for (const name of names.filter((one) => one !== "")) {
    const path = blockerOf(git.folder, name);
    if (path === undefined || (await isSaved(git, files, path))) continue;
    throw new SagaError("exists", `The snapshot would overwrite ${join(git.folder, path)}.`, {
      hint: "Nothing was changed. Move the file away and run the command again.",
    });
  }
}

/** The path itself if it exists, or a file in the place of one of its parent folders. */
function blockerOf(folder: string, name: string): string | undefined {
  const parts = name.split("/");
  for (let depth = 1; depth <= parts.length; depth++) {
    const path = parts.slice(0, depth).join("/");
    const entry = entryAt(join(folder, path));
    if (entry === undefined) return undefined;
    if (!entry.isDirectory() || depth === parts.length) return path;
  }
  return undefined;
}

async function isSaved(git: Git, files: string, path: string): Promise<boolean> {
  const isInTree = (await git.attempt(["cat-file", "-e", `${files}:${path}`])).isOk;
  const others = await git.ask(["ls-files", "--others", "-z", "--", `:(top,literal)${path}`]);
  return isInTree && others === "";
}
