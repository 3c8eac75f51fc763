// A story that conflicts with its target: the first time its agent gets a task with both sides. After that a person is
// asked, and the agent gets the task again with the answer.

import type { Conflict, ConflictSide } from "../repo/compose/describe-conflict.ts";
import { CONFLICT_TASK } from "../story/plan/fix-task.ts";
import type { Journal, NewEntry } from "../story/definition/journal.ts";
import { openEntry } from "../story/definition/journal-key.ts";
import { backToDraft, commitState, type StoryWork } from "./story-work.ts";

export interface ConflictHandover {
  /** The agent's task; undefined if a person was asked. */
  readonly taskId: string | undefined;
}

export async function handToAgent(work: StoryWork, conflict: Conflict): Promise<ConflictHandover> {
  const { store, record, base, context } = work;
  const { id } = record.story;
  const at = new Date(context.now()).toISOString();
  const sides = describeConflict(conflict, base.target);
  const hasTried = record.tasks.some((task) => task.id === CONFLICT_TASK);
  if (hasTried) {
    // The question first: otherwise, after a kill, the next run would start the task without an answer.
    const question = conflictQuestion(await store.readJournal(id), base.target, sides);
    if (question) await store.appendJournal(id, { ...question, at });
    await store.setTaskStatus(id, CONFLICT_TASK, "pending");
    await store.updateStory(id, (story) => ({ ...story, status: "in_progress" }));
  } else {
    await store.updateStory(id, (story) => ({ ...story, status: "in_progress" }));
    await store.addTask(id, conflictTask(base.target, sides));
    const title = `The story conflicts with ${base.target}; its agent resolves that in the next run.`;
    await store.appendJournal(id, { kind: "diversion", at, title, body: sides });
  }
  await commitState(work);
  await backToDraft(work);
  return { taskId: hasTried ? undefined : CONFLICT_TASK };
}

/** Undefined while the person has not answered the same question yet. */
export const conflictQuestion = (
  journal: Journal,
  target: string,
  sides: string,
): Omit<NewEntry, "at"> | undefined =>
  openEntry(journal, "conflict")
    ? undefined
    : {
        kind: "blocker",
        key: "conflict",
        title: `The story conflicts with ${target} again. How should the conflict be resolved?`,
        body: sides,
      };

/** Without checks of its own: the story's gate runs on the result. */
const conflictTask = (target: string, sides: string) => ({
  id: CONFLICT_TASK,
  subject: `Resolve the conflicts with ${target}`,
  description: [
    `${target} has new commits since this story started, and both changed the same lines. The merge is in progress in this worktree: the files below contain both sides between conflict markers.`,
    sides,
    "Keep what both sides want. Edit each file until no marker is left; the merge commit is made for you when you complete this task. Do not abort the merge, and do not take one side blindly.",
  ].join("\n\n"),
  status: "pending",
  blockedBy: [],
  writeFiles: [],
  doneWhen: "No file has conflict markers, and the changes of both sides work.",
  checks: [],
});

/** Both sides of each file, with the commits that touched it. */
export const describeConflict = ({ files }: Pick<Conflict, "files">, target: string): string =>
  files
    .flatMap(({ path, target: theirs, story }) => [
      `- ${JSON.stringify(path)}`,
      `  - ${target} ${describeSide(theirs)}`,
      `  - this story ${describeSide(story)}`,
    ])
    .join("\n");

const describeSide = ({ did, commits }: ConflictSide): string =>
  `${did} it${commits.length === 0 ? "" : `: ${commits.map(({ commit, subject }) => `${commit.slice(0, 10)} ${subject}`).join("; ")}`}`;
