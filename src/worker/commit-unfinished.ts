// Commits the work on a task that is not completed: before the task is split, or because the budget is spent. A snapshot is
// taken first, so that nothing is lost if git cannot commit it.

import { commitPart } from "../repo/commits/commits.ts";
import { judgeCommittable } from "../repo/commits/committable.ts";
import { snapshotChanges } from "../repo/snapshots/snapshot.ts";
import { inProgress } from "../repo/worktree/place.ts";
import { tasksInOrder } from "../story/definition/graph.ts";
import type { Task } from "../story/definition/task.ts";
import { restoreGuardedFiles } from "./restore-guarded-files.ts";
import type { PreparedWork } from "./context.ts";

/** The work belongs to the first task that is not completed: an agent works through them in order. */
export async function commitUnfinished(work: PreparedWork, why: string): Promise<void> {
  const { story, gitDir } = work;
  // Git cannot commit a part of a merge; a snapshot keeps it when the worker ends.
  if (inProgress(gitDir) === "merge") return;
  const task = tasksInOrder(story.tasks()).find(({ status }) => status !== "completed");
  if (task) await commitPartOf(work, task, why);
}

export async function commitPartOf(
  work: PreparedWork,
  { id, subject }: Pick<Task, "id" | "subject">,
  why: string,
): Promise<void> {
  const { git, gitDir, request, exclude, record } = work;
  const { storyId } = request;
  restoreGuardedFiles(work, { isThorough: true });
  const kept = await snapshotChanges({ git, storyId, why, exclude });
  if (kept) record.note({ type: "kept", ref: kept.ref, why });
  const { problem } = await judgeCommittable(git, gitDir, storyId, exclude);
  if (problem !== undefined) return record.warn(`The work on ${id} stays uncommitted: ${problem}`);
  const part = await commitPart({ git, storyId, task: { id, subject }, exclude });
  if (part?.addError !== undefined) {
    record.warn(`Some files were not committed: ${part.addError}`);
  }
  if (part) record.note({ type: "part.committed", task: id, commit: part.commit });
}
