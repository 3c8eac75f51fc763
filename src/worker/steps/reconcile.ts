// Step 6: writes the statuses that the worker observed into the story's files, whatever happened to the
// files and to Claude's list in the meantime. Only an observed completion counts.

import { readTaskList, removeTaskList } from "../../claude/tasks/list.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { commitRest } from "../../repo/commits/commits.ts";
import { requireHead } from "../../repo/refs.ts";
import { hiddenFiles } from "../../repo/snapshots/hidden-files.ts";
import { snapshotChanges } from "../../repo/snapshots/snapshot.ts";
import { storyStart } from "../../repo/story-range.ts";
import type { TaskList } from "./hydrate.ts";
import { commitCompletedTasks } from "../commit-completed-tasks.ts";
import { answersTo } from "../../story/definition/journal-key.ts";
import { restoreGuardedFiles } from "../restore-guarded-files.ts";
import type { PreparedWork } from "../context.ts";

export interface Reconciled {
  /** The number of task files whose status was wrong. */
  readonly corrected: number;
  /** All tasks are completed, and files were changed or a person confirmed that none had to be. */
  readonly isProven: boolean;
}

export async function reconcile(work: PreparedWork, list: TaskList): Promise<Reconciled> {
  const { git, request, exclude } = work;
  const { storyId } = request;
  let isAllCommitted = false;
  try {
    const corrected = await settleList(work, list);
    const isProven = await isProvenDone(work);
    const rest = await commitRest({ git, storyId, exclude, isDone: isProven });
    isAllCommitted = isProven && rest?.addError === undefined;
    return { corrected, isProven };
  } finally {
    // Also if a step above failed: uncommitted work is kept as a snapshot, and so are files that are hidden from git.
    if (!isAllCommitted || (await hiddenFiles(git)).length > 0) await keepRest(work);
  }
}

async function keepRest({ record, git, request, exclude, sharing }: PreparedWork): Promise<void> {
  const why = "left when a worker ended";
  const saved = await snapshotChanges({ git, storyId: request.storyId, why, exclude });
  if (saved === undefined) return;
  record.note({ type: "kept", ref: saved.ref, why: "uncommitted work at the end" });
  await sharing.pushSnapshot(saved);
}

/** Writes and commits all that an agent completed, and removes its list. Returns the number of corrections. */
export async function settleList(work: PreparedWork, list: TaskList): Promise<number> {
  restoreGuardedFiles(work, { isThorough: true });
  const corrected = (await readLastCompletions(work, list)) + (await writeStatuses(work));
  // Only now: if the statuses could not be written, the next worker recovers them from the list.
  removeTaskList(list.folder);
  await commitCompletedTasks(work);
  return corrected;
}

async function isProvenDone(work: PreparedWork): Promise<boolean> {
  const { context, story, request } = work;
  if (!story.isDone()) return false;
  const journal = await context.store.readJournal(request.storyId);
  if (journal.open.length > 0) return false;
  const isProven = (await hasChanges(work)) || answersTo(journal, "nothing-changed").length > 0;
  if (!isProven) {
    await context.store.appendJournal(request.storyId, {
      kind: "blocker",
      at: new Date(context.now()).toISOString(),
      key: "nothing-changed",
      title: "All tasks are marked completed, but no file was changed. Is that right?",
      body: "If so, answer this and run the story again. If not, first add a task that says what is missing.",
    });
  }
  return isProven;
}

/** Completions that Claude wrote just before the agent was ended: their hook did not run any more. */
async function readLastCompletions({ story }: PreparedWork, { folder }: TaskList): Promise<number> {
  const listed = await readTaskList(folder);
  const completed = listed.filter(
    ({ id, status }) =>
      status === "completed" && story.isCompletionAllowed(id) && story.status(id) !== "completed",
  );
  for (const { id } of completed) await story.setStatus(id, "completed");
  return completed.length;
}

async function writeStatuses({ context, story, request }: PreparedWork): Promise<number> {
  const { tasks: inFiles } = await context.store.readStory(request.storyId);
  const written = new Map(inFiles.map(({ id, status }) => [id, status]));
  let corrected = 0;
  for (const { id, status: held } of story.tasks()) {
    // The agent that worked on it has ended.
    const status = held === "in_progress" ? "pending" : held;
    const isWritten = written.get(id) === status;
    if (!isWritten || held !== status) await story.setStatus(id, status);
    if (!isWritten) corrected++;
  }
  return corrected;
}

/** Whether the story changed files of the project. Saga's own files do not count. */
async function hasChanges({ git, base }: PreparedWork): Promise<boolean> {
  const tip = await requireHead(git);
  const start = await storyStart(git, { base, tip });
  return (await codeTree(git, start)) !== (await codeTree(git, tip));
}
