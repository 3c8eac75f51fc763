// Step 2: the worktree and branch that the work happens in, in whatever state they are found.

import { join } from "node:path";
import { newCostMeter } from "../../agent/cost.ts";
import { clearStubs } from "../../claude/sandbox/stubs.ts";
import { findRepository } from "../../repo/repository.ts";
import { commitStart } from "../../repo/commits/commits.ts";
import { guardConfig } from "../../repo/config-guard.ts";
import { provision, provisionSettings } from "../../repo/worktree/provision.ts";
import { snapshotChanges } from "../../repo/snapshots/snapshot.ts";
import { canPush, openForge } from "../../repo/open-forge.ts";
import { portVariables } from "../../repo/worktree/ports.ts";
import { clearStaleLocks } from "../../repo/stale-locks.ts";
import { prepareWorktree } from "../../repo/worktree/worktree.ts";
import { markStart, readStart } from "../../store/runs/start-commit.ts";
import { RUN_MARK, storyWorktree } from "../../story/definition/names.ts";
import { singleTask } from "../../story/definition/single-task.ts";
import type { Task } from "../../story/definition/task.ts";
import { newBoard } from "../task-board.ts";
import { giveUpMerge } from "./conflict.ts";
import { holdDefinition } from "../held-definition.ts";
import { pipesRemoved, removeAllPipes } from "../remove-pipes.ts";
import { findStoryBase } from "../story-base.ts";
import type { PlacedWork, Work } from "../work.ts";

export async function placeWork(work: Work): Promise<PlacedWork> {
  const { order, around, settings, record } = work;
  const { storyId } = order;
  const { store, env } = around;
  const repository = await guardConfig(await findRepository(store.project, env), record.warn);
  const pipes = removeAllPipes(join(repository.project, storyWorktree(storyId)), storyId);
  if (pipes.length > 0) record.warn(pipesRemoved(pipes));
  const { stop } = around;
  const forge = openForge(repository, { settings, env, now: around.now });
  const base = await findStoryBase(work, repository, forge);
  base.warnings.forEach(record.warn);
  await giveUpMerge(work, repository, base.target);
  const tree = await prepareWorktree({
    repository,
    storyId,
    base,
    carryStory: (folder) => store.carryStory(storyId, folder),
    onWarning: record.warn,
  });
  const git = repository.git.at(tree.folder);
  await clearStaleLocks(git);
  // Whatever the settings say now: an earlier run may have had the sandbox.
  clearStubs(tree.folder, repository.commonDir);

  const exclude = [...settings.worktree.copy, ...settings.worktree.link];
  if (!tree.isNew) {
    const kept = await snapshotChanges({ git, storyId, why: "found when a worker began", exclude });
    if (kept) record.note({ type: "kept", ref: kept.ref, why: "uncommitted work was there" });
  }
  // Whoever is stopping only puts things in order.
  if (!stop.aborted) await furnishTree();
  const ports = await portVariables(
    { commonDir: repository.commonDir, storyId },
    settings.worktree,
  );

  const tasks = await readTasks(work);
  // One that has passed its gate, and was given no more to do, has passed it.
  const hasWork = tasks.some(({ status }) => status !== "completed");
  await store.updateStory(storyId, (story) => ({
    ...story,
    ...((hasWork || story["status"] !== "completed") && { status: "in_progress" }),
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
  // An agent that has taken its branch back to the base has not begun the story anew.
  if (started && (await readStart(around, storyId)) === undefined) {
    markStart(record, started.commit, env);
  }
  const board = newBoard(story.tasks);
  return {
    ...work,
    repository,
    base,
    git,
    forge,
    branch: tree.branch,
    worktree: tree.folder,
    hadWorktree: !tree.isNew,
    gitDir: tree.gitDir,
    exclude,
    readable: settings.worktree.link.map((path) => join(repository.project, path)),
    meter: newCostMeter(record),
    ports,
    canPush: canPush(repository, settings, forge),
    board,
    passed: new Set(),
    definition: holdDefinition(story, board),
  };

  async function furnishTree(): Promise<void> {
    const warnings = await provision({
      project: repository.project,
      worktree: tree.folder,
      ...provisionSettings(settings.worktree),
      env,
      // Known by it to the next worker, should this one be killed.
      variables: { [RUN_MARK]: record.run().id },
      stop,
      gitDir: tree.gitDir,
    });
    warnings.forEach(record.warn);
  }
}

/** A story without tasks gets one, before its first commit. */
async function readTasks({ order: { storyId }, around, record }: Work): Promise<readonly Task[]> {
  const { story, tasks } = await around.store.readStory(storyId);
  if (tasks.length > 0) return tasks;
  const task = singleTask(story);
  await around.store.addTask(storyId, { ...task });
  record.note({ type: "task.added", task: task.id, subject: task.subject });
  return (await around.store.readStory(storyId)).tasks;
}
