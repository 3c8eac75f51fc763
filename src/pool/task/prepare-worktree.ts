// Prepares the worker's worktree for a task, at the target's current commit. Its counterpart for stories is
// `worker/steps/prepare-worktree.ts`.

import type { Context } from "../../context.ts";
import { join } from "node:path";
import { prepareWorkplace } from "../../agent/place/workplace.ts";
import { findBase, type Base, type Repository } from "../../repo/repository.ts";
import { isWorktree } from "../../repo/commits/committable.ts";
import { freshWorktree, snapshotLeftovers } from "../../repo/worktree/fresh-worktree.ts";
import { openForge, targetPlace } from "../../repo/open-forge.ts";
import { readTarget, type Target } from "../../repo/delivery/target.ts";
import { providedPaths } from "../../repo/worktree/provision.ts";
import { setAsideFolder } from "../../tasks/daemon-files.ts";
import { storyBranch } from "../../story/definition/names.ts";
import type { PreparedTaskWork, TaskWork } from "./context.ts";

export async function prepareTaskWork(work: TaskWork): Promise<PreparedTaskWork> {
  const { worker, record } = work;
  const { repository, settings, name, env, stop, now } = worker;
  const target = await findPoolTarget(repository, { settings, env, now });
  const commit = await readTarget(repository, target, stop);
  const base = baseAt(target, commit);
  const exclude = providedPaths(settings.worktree);
  const tree = await freshWorktree({
    repository,
    storyId: name,
    base,
    exclude,
    unsavedFolder: join(setAsideFolder(worker.folder), record.run().id),
    onSnapshot: ({ ref }, why) => record.note({ type: "kept", ref, why }),
    onWarning: record.warn,
  });
  const place = await prepareWorkplace({ ...worker, record, storyId: name, tree });
  return { ...work, ...place, target, base, branch: storyBranch(name) };
}

/** Saves all unmerged work as snapshots: the next task starts on a clean worktree. */
export async function snapshotWork(work: PreparedTaskWork, why: string): Promise<void> {
  const { worker, base, exclude, git, record } = work;
  // The agent may have removed the worktree.
  if (!isWorktree(git))
    return record.warn(`${git.folder} is not a worktree any more: no snapshot was taken.`);
  const { repository, name: storyId } = worker;
  const onSnapshot = ({ ref }: { ref: string }): void => record.note({ type: "kept", ref, why });
  await snapshotLeftovers({ repository, storyId, base, exclude, onSnapshot }, git, why);
}

type ForgeContext = Pick<Context, "settings" | "env" | "now">;

/** The branch that all work is merged into: at the remote if branches are pushed, else in this repository. */
export async function findPoolTarget(
  repository: Repository,
  context: ForgeContext,
): Promise<Target> {
  const { settings } = context;
  const { target: branch } = await findBase(repository, settings.auto.target ?? settings.git.base);
  return { branch, place: targetPlace(repository, settings, openForge(repository, context)) };
}

/** The target as the base of a task, at this commit. */
export const baseAt = ({ branch }: Target, commit: string): Base => ({
  branch,
  target: branch,
  commit,
  ref: commit,
  copies: [commit],
  warnings: [],
});
