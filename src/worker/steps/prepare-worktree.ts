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
import { prepareWorktree } from "../../repo/worktree/worktree.ts";
import { recordStartCommit, readStartCommit } from "../../store/runs/start-commit.ts";
import { storyWorktree } from "../../story/definition/names.ts";
import { singleTask } from "../../story/definition/single-task.ts";
import type { Task } from "../../story/definition/task.ts";
import { newBoard } from "../task-board.ts";
import { abortUnfinishedMerge } from "./conflict.ts";
import { guardDefinition } from "../guarded-definition.ts";
import { pipesRemoved, removeAllPipes } from "../remove-pipes.ts";
import { findStoryBase } from "../story-base.ts";
import type { PreparedWork, Work } from "../context.ts";

export async function prepareWork(work: Work): Promise<PreparedWork> {
  const { request, context, settings, record } = work;
  const { storyId } = request;
  const { store, env } = context;
  const repository = await findRepository(store.project, env);
  const pipes = removeAllPipes(join(repository.project, storyWorktree(storyId)), storyId);
  if (pipes.length > 0) record.warn(pipesRemoved(pipes));
  const forge = openForge(repository, { settings, env, now: context.now });
  const base = await findStoryBase(work, repository, forge);
  base.warnings.forEach(record.warn);
  await abortUnfinishedMerge(work, repository, base.target);
  const tree = await prepareWorktree({
    repository,
    storyId,
    base,
    carryStory: (folder) => store.carryStory(storyId, folder),
    onWarning: record.warn,
  });
  const git = repository.git.at(tree.folder);
  await clearStaleLocks(git);
  const place = await prepareWorkplace({
    ...context,
    repository,
    settings,
    record,
    storyId,
    tree,
    async beforeCopy(exclude) {
      if (tree.isNew) return;
      const why = "found when a worker started";
      const kept = await snapshotChanges({ git, storyId, why, exclude });
      if (kept) record.note({ type: "kept", ref: kept.ref, why: "uncommitted work at the start" });
    },
  });

  const tasks = await readTasks(work);
  await store.updateStory(storyId, (story) => ({
    ...story,
    status: statusAtStart(story["status"], tasks),
    branch: tree.branch,
    worktree: storyWorktree(storyId),
  }));
  const story = await store.readStory(storyId);
  const completed = story.tasks.filter(({ status }) => status === "completed");
  const started = await commitStart({
    git,
    storyId,
    title: story.story.title,
    baseCommit: base.commit,
    completed: completed.map(({ id }) => id),
  });
  // If an agent reset the branch to its base, the first start commit still counts.
  if (started && (await readStartCommit(context, storyId)) === undefined) {
    recordStartCommit(record, started.commit, env);
  }
  const board = newBoard(story.tasks);
  return {
    ...work,
    ...place,
    repository,
    base,
    forge,
    branch: tree.branch,
    hadWorktree: !tree.isNew,
    meter: newCostMeter(record, context.agent),
    canPush: canPush(repository, settings, forge),
    board,
    allowedCompletions: new Set(),
    definition: guardDefinition(story, board),
  };
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
async function readTasks({
  request: { storyId },
  context,
  record,
}: Work): Promise<readonly Task[]> {
  const { story, tasks } = await context.store.readStory(storyId);
  if (tasks.length > 0) return tasks;
  const task = singleTask(story);
  await context.store.addTask(storyId, { ...task });
  record.note({ type: "task.added", task: task.id, subject: task.subject });
  return (await context.store.readStory(storyId)).tasks;
}
