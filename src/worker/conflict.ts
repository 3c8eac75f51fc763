// A story that conflicts with its target, in the hands of its agent: the merge is begun in the worktree
// before the agent comes, and made into a commit when the agent says that it is resolved.

import { join } from "node:path";
import type { Repository } from "../repo/base.ts";
import { readTarget } from "../repo/target.ts";
import {
  abortConflict,
  finishConflict,
  prepareConflict,
  type ConflictPlace,
} from "../repo/resolve.ts";
import { CONFLICT_TASK } from "../story/mend.ts";
import type { PlacedWork, Work } from "./work.ts";

/** May be repeated: a merge that is in progress already is the one. */
export async function beginConflict(work: PlacedWork): Promise<void> {
  const { board, repository, base, canPush, record, around } = work;
  if (board.status(CONFLICT_TASK) === undefined || board.status(CONFLICT_TASK) === "completed")
    return;
  const place = canPush ? "remote" : "here";
  const onto = await readTarget(repository, { branch: base.target, place }, around.stop);
  const prepared = await prepareConflict({ ...placeOf(work), onto });
  if (prepared.kind === "none") {
    record.warn(`${base.target} and the story do not conflict any more.`);
  }
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
  if (finished.kind !== "unresolved") return undefined;
  return `These files are not resolved yet: ${finished.files.join(", ")}. Edit them until no conflict mark is left, and \`git add\` those that need no change.`;
}

const placeOf = ({ git, order, base, exclude }: PlacedWork): ConflictPlace => ({
  git,
  storyId: order.storyId,
  target: base.target,
  exclude,
});
