// A story that was discarded on another machine of the fleet: saves what this machine has of it from before in a snapshot,
// removes it, and resets the story here, too. Every step can be killed and repeated.

import type { Context } from "../context.ts";
import { findBase } from "../repo/repository.ts";
import { snapshotStory } from "../repo/rescue/snapshot-story.ts";
import { forgetRemoteBranch } from "../repo/remote-branch.ts";
import { noteFollowed, type RemoteDiscard } from "../repo/sharing/shared-discard.ts";
import { providedPaths } from "../repo/worktree/provision.ts";
import { findStory } from "../store/project/find.ts";
import { layoutOf } from "../store/project/layout.ts";
import { endProcessesOf, unfinished } from "../store/runs/run-processes.ts";
import type { Run } from "../story/state/run.ts";
import { removeHere, repairWorktree } from "./remove-here.ts";

export type FollowRequest = Pick<Context, "store" | "repository" | "settings" | "env" | "now">;

/** Call it with the story's lease of this machine. Returns sentences about what could not be removed. */
export async function followDiscard(
  request: FollowRequest,
  { storyId, discard, branch: theirs }: RemoteDiscard,
): Promise<readonly string[]> {
  const { store, repository, settings } = request;
  const place = { ...request, storyId };
  const runs = runsBefore(await store.listRuns(storyId), discard.fence);
  const base = await findBase(repository, settings.git.base);
  await endProcessesOf(unfinished(runs));
  const situation = await repairWorktree(place, base);
  const exclude = providedPaths(settings.worktree);
  // If it was begun again, the branch at the remote is not of the discarded work.
  const isWithoutRemote = theirs !== undefined && situation.theirs === theirs;
  const saving = { repository, storyId, exclude, baseCommit: base.commit, isWithoutRemote };
  const { place: there, lost, local, branch } = situation;
  const isHere = there.kind !== "free" || lost.length > 0 || local !== undefined;
  if (isHere) await store.reclaimStory(storyId);
  await snapshotStory(saving);
  const { left } = await removeHere(place, {
    saving,
    situation,
    runs,
    async onRemoved() {
      const isInProject = findStory(layoutOf(store.project), storyId)?.source === "project";
      if (isHere && isInProject) await store.resetStory(storyId, undefined);
      return undefined;
    },
  });
  if (theirs === undefined && situation.theirs !== undefined) {
    await forgetRemoteBranch(repository, { branch, commit: situation.theirs });
  }
  await noteFollowed(repository.git, storyId, discard);
  return left;
}

/**
 * `runs`: newest first. Those from before the discard: all that are older than the first run under a later ownership. What
 * people decided in between has no number of its own, so the order counts.
 */
export function runsBefore(runs: readonly Run[], fence: number): readonly Run[] {
  const firstAfter = runs.findLastIndex((run) => (run.fence ?? 0) > fence);
  return runs.slice(firstAfter + 1);
}
