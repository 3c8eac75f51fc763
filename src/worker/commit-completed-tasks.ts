// Commits each completed task that has no commit yet: right after its completion, or in the next worker
// if this one was killed in between.

import { stubPlaces } from "../claude/sandbox/stubs.ts";
import { committedTasks, commitTask } from "../repo/commits/commits.ts";
import { tasksInOrder } from "../story/definition/graph.ts";
import type { PreparedWork } from "./context.ts";

export async function commitCompletedTasks(work: PreparedWork): Promise<void> {
  const { git, base, board, request, record, settings, worktree } = work;
  const completed = tasksInOrder(board.tasks()).filter(({ status }) => status === "completed");
  const committed = await committedTasks(git, base.commit, request.storyId);
  for (const task of completed) {
    if (committed.has(task.id)) continue;
    const { id, subject } = task;
    // Another tool call of the same turn may be running in the sandbox, with its stubs in the worktree.
    const stubs = settings.claude.sandbox ? stubPlaces(worktree) : [];
    const { commit, addError } = await commitTask({
      git,
      storyId: request.storyId,
      task: { id, subject },
      exclude: [...work.exclude, ...stubs],
    });
    if (addError !== undefined) record.warn(`Not everything could be committed: ${addError}`);
    record.note({ type: "task.committed", task: id, commit });
  }
}
