// One commit for each completed task, whenever it is found that one lacks it: right after the
// completion, or by the next worker when this one was killed in between.

import { stubPlaces } from "../claude/sandbox/stubs.ts";
import { committedTasks, commitTask } from "../repo/commits/commits.ts";
import { tasksInOrder } from "../story/definition/graph.ts";
import type { PlacedWork } from "./work.ts";

export async function commitCompleted(work: PlacedWork): Promise<void> {
  const { git, base, board, order, record, settings, worktree } = work;
  const completed = tasksInOrder(board.tasks()).filter(({ status }) => status === "completed");
  const committed = await committedTasks(git, base.commit, order.storyId);
  for (const task of completed) {
    if (committed.has(task.id)) continue;
    const { id, subject } = task;
    // Another call of the same turn may be running in the sandbox.
    const stubs = settings.claude.sandbox ? stubPlaces(worktree) : [];
    const { commit, addError } = await commitTask({
      git,
      storyId: order.storyId,
      task: { id, subject },
      exclude: [...work.exclude, ...stubs],
    });
    if (addError !== undefined) record.warn(`Not everything could be committed: ${addError}`);
    record.note({ type: "task.committed", task: id, commit });
  }
}
