// What this machine has of a discarded story: worktree, branch, task lists and runs. Everything is saved before.

import { clearStubs } from "../claude/sandbox/stub-files.ts";
import { removeTaskList, taskListFolder } from "../claude/tasks/list.ts";
import type { Context } from "../context.ts";
import type { Base } from "../repo/repository.ts";
import { removeStoryBranch, removeStoryWorktree } from "../repo/rescue/remove-story.ts";
import type { StorySnapshotRequest } from "../repo/rescue/snapshot-story.ts";
import type { Snapshot } from "../repo/snapshots/snapshot.ts";
import { clearLocks } from "../repo/stale-locks.ts";
import { readSituation, type Situation } from "../repo/worktree/situation.ts";
import { prepareWorktree } from "../repo/worktree/worktree.ts";
import { removeOutputs } from "../store/runs/session-output.ts";
import type { Run } from "../story/state/run.ts";

type Place = Pick<Context, "store" | "repository" | "env" | "now"> & { readonly storyId: string };

/** Repairs the worktree as a worker does at its start: locks of a killed git, stubs, an incomplete checkout. */
export async function repairWorktree(
  { store, repository, storyId }: Pick<Place, "store" | "repository" | "storyId">,
  base: Base,
): Promise<Situation> {
  let situation = await readSituation(repository, storyId);
  const { place, local } = situation;
  const isIncomplete =
    place.kind === "moved" || (place.kind === "worktree" && place.isUnfinished && local);
  if (isIncomplete) {
    const copyStoryToWorktree = (folder: string): Promise<void> =>
      store.copyStoryToWorktree(storyId, folder);
    await prepareWorktree({ repository, storyId, base, copyStoryToWorktree });
    situation = await readSituation(repository, storyId);
  }
  if (situation.place.kind === "worktree") {
    const { folder, branch } = situation;
    const { gitDir } = situation.place;
    await clearLocks(folder, { head: `refs/heads/${branch}`, gitDir });
    clearStubs(folder, repository.commonDir);
  }
  return situation;
}

interface Removal {
  readonly saving: StorySnapshotRequest;
  readonly situation: Situation;
  /** Those that no longer count. */
  readonly runs: readonly Run[];
  /** The worktree is removed: the project's copy of the story is the current one. `last`: the snapshot of that moment. */
  readonly onRemoved: (last: Snapshot | undefined) => Promise<Snapshot | undefined>;
}

interface Removed {
  readonly snapshot: Snapshot | undefined;
  readonly worktree: string | undefined;
  readonly branch: { readonly name: string; readonly commit: string } | undefined;
  /** What could not be removed, in sentences. */
  readonly left: readonly string[];
}

export async function removeHere(
  place: Place,
  { saving, situation, runs, onRemoved }: Removal,
): Promise<Removed> {
  const { store, repository, env, storyId } = place;
  const { worktree, snapshot: last, left } = await removeStoryWorktree(saving);
  const snapshot = await onRemoved(last);
  for (const { taskList } of runs) {
    if (taskList !== undefined) removeTaskList(taskListFolder(env, taskList));
  }
  await closeRuns(place, runs);
  await store.openWorks.drop(storyId);
  // The branch goes last: as long as it exists, a repeated call knows that there is work to discard.
  const { branch: name } = situation;
  const commit = await removeStoryBranch(repository, { storyId, branch: name });
  return { snapshot, worktree, branch: commit === undefined ? undefined : { name, commit }, left };
}

/** Marks all of them as discarded: their outcome no longer counts, and a killed one needs no person. */
async function closeRuns(
  { store, now }: Pick<Place, "store" | "now">,
  runs: readonly Run[],
): Promise<void> {
  const at = new Date(now()).toISOString();
  for (const run of runs) {
    if (run.discardedAt !== undefined) continue;
    const log = await store.openRun(run);
    try {
      log.update({
        discardedAt: at,
        endedAt: run.endedAt ?? at,
        outcome: run.outcome ?? (run.worker && "killed"),
        reason: run.reason ?? "Its worker was killed.",
      });
    } finally {
      log.close();
    }
  }
  removeOutputs(runs);
}
