// Step 6: the story's files say what was seen, whatever happened to them and to Claude's list in the
// meantime. A task that was not seen to be completed is not; one that was, is.

import { removeTaskList } from "../claude/task-list.ts";
import { commitRest } from "../repo/commits.ts";
import { keepSnapshot } from "../repo/keep.ts";
import type { TaskList } from "./hydrate.ts";
import { commitCompleted } from "./commit-completed.ts";
import { mended } from "./mended.ts";
import type { PlacedWork } from "./work.ts";

export interface Reconciled {
  /** How many of the story's files said something else. */
  readonly corrected: number;
  /** All tasks are completed, and there is something to show for it. */
  readonly isProven: boolean;
}

export async function reconcile(work: PlacedWork, list: TaskList): Promise<Reconciled> {
  const { around, board, git, order, record, exclude } = work;
  const { storyId } = order;
  mended(work);
  const corrected = await writeStatuses(work);
  await commitCompleted(work);
  const isProven = board.isDone() && (await hasChanges(work));
  if (isProven) {
    await around.store.updateStory(storyId, (story) => ({ ...story, status: "completed" }));
  }
  await commitRest({ git, storyId, exclude, isDone: isProven });
  if (!isProven) {
    const kept = await keepSnapshot({ git, storyId, why: "left when a worker ended", exclude });
    if (kept) record.note({ type: "kept", ref: kept.ref, why: "uncommitted work is there" });
  }
  removeTaskList(list.folder);
  return { corrected, isProven };
}

async function writeStatuses({ around, board, order, record }: PlacedWork): Promise<number> {
  const found = await around.store.readStory(order.storyId);
  let corrected = 0;
  for (const task of board.tasks()) {
    // Nobody has it in hand any more.
    const status = task.status === "in_progress" ? "pending" : task.status;
    board.change(task.id, status);
    if (found.tasks.find(({ id }) => id === task.id)?.status === status) continue;
    await around.store.updateTask(order.storyId, task.id, (it) => ({ ...it, status }));
    record.note({ type: "task.changed", task: task.id, to: status });
    corrected++;
  }
  return corrected;
}

/** Of the project's own files: Saga's do not count. */
async function hasChanges({ git, base }: PlacedWork): Promise<boolean> {
  const range = `${base.commit}...HEAD`;
  const { isOk } = await git.attempt(["diff", "--quiet", range, "--", ".", ":(exclude).saga"]);
  return !isOk;
}
