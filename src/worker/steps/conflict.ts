// A story that conflicts with its target. The worker starts the merge in the worktree before the agent
// runs, and commits it when the agent completes the conflict task.

import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import type { Repository } from "../../repo/repository.ts";
import { commitPart, commitRest } from "../../repo/commits/commits.ts";
import { inProgress } from "../../repo/worktree/place.ts";
import { readTarget } from "../../repo/delivery/target.ts";
import {
  abortConflict,
  finishConflict,
  prepareConflict,
  type ConflictContext,
  type PreparedConflict,
} from "../../repo/delivery/resolve-conflict.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import { CONFLICT_TASK } from "../../story/plan/fix-task.ts";
import { excludedFiles } from "../excluded-files.ts";
import type { PreparedWork, Work } from "../context.ts";

/**
 * May be repeated: a merge in progress is used as it is. Returns the work with the target as it was merged: it may have
 * moved since the work was prepared, and what it brought is not the story's own.
 */
export async function startConflictMerge(work: PreparedWork): Promise<PreparedWork> {
  const { story, repository, base, canPush, context } = work;
  const status = story.status(CONFLICT_TASK);
  if (status === undefined || status === "completed") return work;
  const place = canPush ? "remote" : "here";
  const onto = await readTarget(repository, { branch: base.target, place }, context.stop);
  await startMerge(work, onto);
  await readMergedStory(work);
  return { ...work, base: { ...base, copies: [...base.copies, onto] } };
}

/** The merge may bring people's changes to the story's files. No agent has run on them yet. */
async function readMergedStory({ context, request, story }: PreparedWork): Promise<void> {
  // Files with conflict markers cannot be read: the definition in memory stays then.
  const merged = await context.store.readStory(request.storyId).catch(() => undefined);
  if (merged !== undefined) story.takeMerged(merged);
}

async function startMerge(work: PreparedWork, onto: string): Promise<PreparedConflict> {
  const { git, request, base, gitDir, record } = work;
  if (inProgress(gitDir) === undefined) {
    // Changes that an agent made after it aborted the merge are committed first: they may be wanted, and must
    // not mix with the merge.
    const { storyId } = request;
    const exclude = excludedFiles(work);
    const task = { id: CONFLICT_TASK, subject: `Resolve the conflicts with ${base.target}` };
    await commitPart({ git, storyId, task, exclude });
    await commitRest({ git, storyId, exclude });
  }
  const prepared = await prepareConflict({ ...conflictPlace(work), onto });
  if (prepared.kind === "none") {
    record.warn(`The story no longer conflicts with ${base.target}.`);
  }
  return prepared;
}

/**
 * Aborts a merge that a killed worker left unfinished, so that the worktree can be prepared. A snapshot keeps
 * what was resolved so far; the merge is started again later.
 */
export async function abortUnfinishedMerge(
  { context, request, record }: Work,
  { source, folder, tasks }: StoryRecord,
  { repository, target }: { readonly repository: Repository; readonly target: string },
): Promise<void> {
  const { storyId } = request;
  const isOpen = tasks.some(({ id, status }) => id === CONFLICT_TASK && status !== "completed");
  if (source !== "worktree" || !isOpen) return;
  const { copy, link } = context.settings.worktree;
  const git = repository.git.at(join(folder, "../../.."));
  const saved = await abortConflict({ git, storyId, target, exclude: [...copy, ...link] });
  if (saved) record.note({ type: "kept", ref: saved.ref, why: "a merge was restarted" });
}

/** Returns what the agent still has to resolve, as a sentence; undefined if the merge is committed. */
export async function finishConflictMerge(work: PreparedWork): Promise<string | undefined> {
  const finished = await finishConflict(conflictPlace(work));
  switch (finished.kind) {
    case "merged":
    case "none":
      return undefined;
    case "unresolved":
      return `These files are not resolved yet: ${finished.files.join(", ")}. Edit them until no conflict marker is left, and \`git add\` those that need no change.`;
    case "abandoned":
      return restartMerge(work, finished.onto);
  }
}

/** Merges the same commit again: newer commits of the target are for the next merge. */
async function restartMerge(work: PreparedWork, onto: string): Promise<string | undefined> {
  const { target } = work.base;
  const aborted = `The merge of ${target} was aborted, and this branch lacks the changes of ${target}.`;
  try {
    const prepared = await startMerge(work, onto);
    if (prepared.kind === "none") return undefined;
    const files = prepared.files.map(({ path }) => path).join(", ");
    return `${aborted} It was started again: ${files} contain both sides between conflict markers. Edit them until no marker is left, keep what both sides want, then complete the task. Do not abort or reset the merge.`;
  } catch (error) {
    return `${aborted} It cannot be started again yet: ${messageOf(error)}`;
  }
}

/** Called while the agent runs: its sandbox's own files are in the worktree then. */
const conflictPlace = (work: PreparedWork): ConflictContext => ({
  git: work.git,
  storyId: work.request.storyId,
  target: work.base.target,
  exclude: excludedFiles(work),
});
