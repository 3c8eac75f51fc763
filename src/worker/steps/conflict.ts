// A story that conflicts with its target, in the hands of its agent: the merge is begun in the worktree
// before the agent comes, and made into a commit when the agent says that it is resolved.

import { join } from "node:path";
import { stubPlaces } from "../../claude/sandbox/stubs.ts";
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
import { CONFLICT_TASK } from "../../story/plan/fix-task.ts";
import type { PlacedWork, Work } from "../work.ts";

/** May be repeated: a merge that is in progress already is the one. */
export async function beginConflict(work: PlacedWork): Promise<void> {
  const { board, repository, base, canPush, around } = work;
  if (board.status(CONFLICT_TASK) === undefined || board.status(CONFLICT_TASK) === "completed")
    return;
  const place = canPush ? "remote" : "here";
  const onto = await readTarget(repository, { branch: base.target, place }, around.stop);
  await begin(work, onto);
  await learnMerged(work);
}

/** What people have changed in the story's own files came with the target, and no agent was here yet. */
async function learnMerged({ around, order, board, definition }: PlacedWork): Promise<void> {
  // With conflict marks in them they cannot be read: then what is held stays.
  const merged = await around.store.readStory(order.storyId).catch(() => undefined);
  if (merged === undefined) return;
  definition.replace(merged);
  board.replace(
    merged.tasks.map((task) => ({ ...task, status: board.status(task.id) ?? task.status })),
  );
}

async function begin(work: PlacedWork, onto: string): Promise<PreparedConflict> {
  const { git, order, base, gitDir, record, settings, worktree } = work;
  if (inProgress(gitDir) === undefined) {
    // What an agent has done since it gave the merge up would mix with it, and may be what is wanted.
    const { storyId } = order;
    const stubs = settings.claude.sandbox ? stubPlaces(worktree) : [];
    const exclude = [...work.exclude, ...stubs];
    const task = { id: CONFLICT_TASK, subject: `Resolve the conflicts with ${base.target}` };
    await commitPart({ git, storyId, task, exclude });
    await commitRest({ git, storyId, exclude });
  }
  const prepared = await prepareConflict({ ...placeOf(work), onto });
  if (prepared.kind === "none") {
    record.warn(`${base.target} and the story do not conflict any more.`);
  }
  return prepared;
}

/**
 * A merge that a killed worker left in the middle: a worktree in that state is worked in by nobody. What
 * was resolved so far is kept as a snapshot, and the merge is begun again.
 */
export async function giveUpMerge(
  { around, order, settings, record }: Work,
  repository: Repository,
  target: string,
): Promise<void> {
  const { storyId } = order;
  const { source, folder, tasks } = await around.store.readStory(storyId);
  const isOpen = tasks.some(({ id, status }) => id === CONFLICT_TASK && status !== "completed");
  if (source !== "worktree" || !isOpen) return;
  const { copy, link } = settings.worktree;
  const git = repository.git.at(join(folder, "../../.."));
  const kept = await abortConflict({ git, storyId, target, exclude: [...copy, ...link] });
  if (kept) record.note({ type: "kept", ref: kept.ref, why: "a merge was begun again" });
}

/** What is still open, as a sentence for the agent. */
export async function endConflict(work: PlacedWork): Promise<string | undefined> {
  const finished = await finishConflict(placeOf(work));
  switch (finished.kind) {
    case "merged":
    case "none":
      return undefined;
    case "unresolved":
      return `These files are not resolved yet: ${finished.files.join(", ")}. Edit them until no conflict mark is left, and \`git add\` those that need no change.`;
    case "abandoned":
      return beginAgain(work, finished.onto);
  }
}

/** Of the same commit: what came to the target since is for the next merge. */
async function beginAgain(work: PlacedWork, onto: string): Promise<string | undefined> {
  const { target } = work.base;
  const givenUp = `The merge of ${target} was given up, and this branch does not have what ${target} has done.`;
  try {
    const prepared = await begin(work, onto);
    if (prepared.kind === "none") return undefined;
    const files = prepared.files.map(({ path }) => path).join(", ");
    return `${givenUp} It is begun again: ${files} hold both sides between conflict marks. Edit them until no mark is left, keep what both sides want, and complete the task then. Do not abort or reset the merge.`;
  } catch (error) {
    return `${givenUp} It cannot be begun again yet: ${messageOf(error)}`;
  }
}

const placeOf = ({ git, order, base, exclude }: PlacedWork): ConflictContext => ({
  git,
  storyId: order.storyId,
  target: base.target,
  exclude,
});
