// Step 2: prepares the story's worktree and branch, in whatever state an earlier run left them. Its
// counterpart for tasks is `pool/task/prepare-worktree.ts`.

import { join } from "node:path";
import { newCostMeter } from "../../agent/cost.ts";
import { prepareWorkplace } from "../../agent/place/workplace.ts";
import { findRepository } from "../../repo/repository.ts";
import { commitStart } from "../../repo/commits/commits.ts";
import { snapshotChanges } from "../../repo/snapshots/snapshot.ts";
import { canPush, openForge } from "../../repo/open-forge.ts";
import { clearStaleLocks } from "../../repo/stale-locks.ts";
import { takeFence } from "../../repo/sharing/lease-ref.ts";
import { takeOverFiles, takeOverWorktree, type TakeOver } from "../../repo/sharing/take-over.ts";
import { providedPaths } from "../../repo/worktree/provision.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { runFolder } from "../../store/runs/runs.ts";
import { recordStartCommit, readStartCommit } from "../../store/runs/start-commit.ts";
import { storyWorktree } from "../../story/definition/names.ts";
import { singleTask } from "../../story/definition/single-task.ts";
import type { Task } from "../../story/definition/task.ts";
import { newConflictNotes } from "../early-warning/watch-conflicts.ts";
import { abortUnfinishedMerge } from "./conflict.ts";
import { holdStory, type HeldStory } from "../story-in-memory.ts";
import { pipesRemoved, removeAllPipes } from "../remove-pipes.ts";
import { startSharing } from "../sharing.ts";
import { findStoryBase } from "../story-base.ts";
import type { PreparedWork, Work } from "../context.ts";

export async function prepareWork(work: Work): Promise<PreparedWork> {
  const { request, context, record } = work;
  const { storyId } = request;
  const { store, settings, env } = context;
  const repository = await findRepository(store.project, env);
  const pipes = removeAllPipes(join(repository.project, storyWorktree(storyId)), storyId);
  if (pipes.length > 0) record.warn(pipesRemoved(pipes));
  const forge = openForge(repository, { settings, env, now: context.now });
  // Before anything is fetched: from here on the last owner cannot push.
  const fence = work.owner && (await takeFence(repository, work.owner, work.giveUp));
  // The files of this machine count from here on.
  await store.elsewhere.removeCopy(storyId);
  const found = await store.viewStory(storyId);
  const base = await findStoryBase(work, { repository, forge, epicId: found.epicId });
  base.warnings.forEach(record.warn);
  await abortUnfinishedMerge(work, found.record, { repository, target: base.target });
  const takeOver: TakeOver = {
    repository,
    storyId,
    base,
    copyStoryToWorktree: (folder) => store.copyStoryToWorktree(storyId, folder),
    onWarning: record.warn,
    lastMachine: fence?.lastMachine,
    machine: work.owner?.machine ?? "",
    exclude: providedPaths(settings.worktree),
    unsavedFolder: join(runFolder(layoutOf(store.project), storyId, record.run().id), "unsaved"),
    onSnapshot: ({ ref }, why) => record.note({ type: "kept", ref, why }),
  };
  const tree = await takeOverWorktree(takeOver);
  const git = repository.git.at(tree.folder);
  await clearStaleLocks(git);
  const place = await prepareWorkplace({
    ...context,
    repository,
    record,
    storyId,
    tree,
    async beforeCopy(exclude) {
      if (!tree.isNew) {
        const why = "found when a worker started";
        const saved = await snapshotChanges({ git, storyId, why, exclude });
        if (saved)
          record.note({ type: "kept", ref: saved.ref, why: "uncommitted work at the start" });
      }
      const taken = await takeOverFiles({ ...takeOver, exclude }, tree.folder);
      if (taken) record.note({ type: "taken-over", machine: taken.machine, snapshot: taken.ref });
    },
  });

  const story = await holdWithTasks(work);
  await story.update({
    status: statusAtStart(story.definition().status, story.tasks()),
    branch: tree.branch,
    worktree: storyWorktree(storyId),
  });
  const completed = story.tasks().filter(({ status }) => status === "completed");
  const started = await commitStart({
    git,
    storyId,
    title: story.definition().title,
    baseCommit: base.commit,
    completed: completed.map(({ id }) => id),
  });
  // If an agent reset the branch to its base, the first start commit still counts.
  if (started && (await readStartCommit(context, storyId)) === undefined) {
    recordStartCommit(record, started.commit, env);
  }
  const prepared = {
    ...work,
    ...place,
    repository,
    base,
    forge,
    branch: tree.branch,
    hadWorktree: !tree.isNew,
    meter: newCostMeter(record, context.agent),
    canPush: canPush(repository, settings, forge),
    fence,
    story,
    conflictNotes: newConflictNotes(),
    deliveredNotes: new Set<string>(),
  };
  return { ...prepared, sharing: startSharing(prepared) };
}

/** A completed story without new tasks stays completed: it has passed its gate. */
export const statusAtStart = (
  stored: unknown,
  tasks: readonly Pick<Task, "status">[],
): "completed" | "in_progress" =>
  stored === "completed" && tasks.every(({ status }) => status === "completed")
    ? "completed"
    : "in_progress";

/** A story without tasks gets one, before its first commit. */
async function holdWithTasks({ request, context, record }: Work): Promise<HeldStory> {
  const { store } = context;
  const story = holdStory(await store.readStory(request.storyId), { store, record });
  if (story.tasks().length === 0) await story.addTask({ ...singleTask(story.definition()) });
  return story;
}
