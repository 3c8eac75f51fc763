// Step 6: the story's files say what was seen, whatever happened to them and to Claude's list in the
// meantime. A task that was not seen to be completed is not; one that was, is.

import { readTaskList, removeTaskList } from "../../claude/tasks/list.ts";
import { commitRest } from "../../repo/commits/commits.ts";
import { snapshotChanges } from "../../repo/snapshots/snapshot.ts";
import type { TaskList } from "./hydrate.ts";
import { commitCompleted } from "../commit-completed.ts";
import { answersTo } from "../../story/definition/journal-key.ts";
import { mended } from "../restore-guarded-files.ts";
import type { PlacedWork } from "../work.ts";

export interface Reconciled {
  /** How many of the story's files said something else. */
  readonly corrected: number;
  /** All tasks are completed, and there is something to show for it, or a person said it is fine. */
  readonly isProven: boolean;
}

export async function reconcile(work: PlacedWork, list: TaskList): Promise<Reconciled> {
  const { record, git, order, exclude } = work;
  const { storyId } = order;
  try {
    const corrected = await settleList(work, list);
    const isProven = await isProvenDone(work);
    await commitRest({ git, storyId, exclude, isDone: isProven });
    return { corrected, isProven };
  } finally {
    // Whatever could not be done above, what is there is kept.
    const kept = await snapshotChanges({ git, storyId, why: "left when a worker ended", exclude });
    if (kept) record.note({ type: "kept", ref: kept.ref, why: "uncommitted work is there" });
  }
}

/** All that an agent has done is written down, and its list is gone. */
export async function settleList(work: PlacedWork, list: TaskList): Promise<number> {
  mended(work, { isThorough: true });
  await hearLastCompletions(work, list);
  const corrected = await writeStatuses(work);
  // Not before: if they could not be written, the next worker finds them there.
  removeTaskList(list.folder);
  await commitCompleted(work);
  return corrected;
}

async function isProvenDone(work: PlacedWork): Promise<boolean> {
  const { around, board, order } = work;
  if (!board.isDone()) return false;
  const journal = await around.store.readJournal(order.storyId);
  if (journal.open.length > 0) return false;
  const isProven = (await hasChanges(work)) || answersTo(journal, "nothing-changed").length > 0;
  if (!isProven) {
    await around.store.appendJournal(order.storyId, {
      kind: "blocker",
      at: new Date(around.now()).toISOString(),
      key: "nothing-changed",
      title: "All tasks are marked completed, and not one file was changed. Is that right?",
      body: "If that is right, say so, and run the story once more. If not, add a task that says what is missing first.",
    });
  }
  return isProven;
}

/** Written by Claude after they were let pass, in an agent that was ended before it could say so. */
async function hearLastCompletions(
  { board, passed, record }: PlacedWork,
  { folder }: TaskList,
): Promise<void> {
  for (const { id, status } of await readTaskList(folder)) {
    if (status !== "completed" || !passed.has(id) || board.status(id) === "completed") continue;
    board.change(id, "completed");
    record.note({ type: "task.changed", task: id, to: "completed" });
  }
}

async function writeStatuses({ around, board, order, record }: PlacedWork): Promise<number> {
  const found = await around.store.readStory(order.storyId);
  let corrected = 0;
  for (const task of board.tasks()) {
    // Nobody has it in hand any more.
    const status = task.status === "in_progress" ? "pending" : task.status;
    board.change(task.id, status);
    if (found.tasks.find(({ id }) => id === task.id)?.status === status) continue;
    await around.store.setTaskStatus(order.storyId, task.id, status);
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
