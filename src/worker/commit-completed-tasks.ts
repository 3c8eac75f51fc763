// Commits each completed task that has no commit yet: right after its completion, or in the next worker
// if this one was killed in between.

import { committedTasks, commitTask } from "../repo/commits/commits.ts";
import { tasksInOrder } from "../story/definition/graph.ts";
import type { Task } from "../story/definition/task.ts";
import { excludedFiles } from "./excluded-files.ts";
import type { PreparedWork } from "./context.ts";

export async function commitCompletedTasks(work: PreparedWork): Promise<void> {
  const { git, base, story, request, record } = work;
  const committed = await committedTasks(git, base.commit, request.storyId);
  for (const { id, subject } of tasksToCommit(story.tasks(), committed)) {
    const { commit, addError } = await commitTask({
      git,
      storyId: request.storyId,
      task: { id, subject },
      exclude: excludedFiles(work),
    });
    if (addError !== undefined) record.warn(`Some files were not committed: ${addError}`);
    record.note({ type: "task.committed", task: id, commit });
    work.sharing.pushSoon();
  }
}

/** In the order of the story, so that the history reads like the plan. */
export const tasksToCommit = (tasks: readonly Task[], committed: ReadonlySet<string>): Task[] =>
  tasksInOrder(tasks).filter(({ id, status }) => status === "completed" && !committed.has(id));
