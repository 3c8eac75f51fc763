// Builds the queue again from git: the epics that the fleet works on are refs at the remote, and what is done is in their
// stories. Fences continue after those that the remote knows, so that earlier owners stay locked out.

import { newestJobs } from "../../../fleet/backlog/epic-run.ts";
import type { Jobs } from "../../../fleet/engine/jobs.ts";
import type { Fleet } from "../../../fleet/fleet.ts";
import type { Repository } from "../../../repo/repository.ts";
import { followBase } from "../../../repo/sharing/follow-base.ts";
import { readFences } from "../../../repo/sharing/lease-ref.ts";
import { readRemoteStories } from "../../../repo/sharing/remote-stories.ts";
import { readSharedEpics } from "../../../repo/sharing/shared-epics.ts";
import { storyLease } from "../../../store/leases/lease-names.ts";
import type { ParkReason } from "../../../story/state/fleet-work.ts";
import { cleanSharedRefs } from "../../clean/shared-refs.ts";
import { openFollowingLook } from "../../fleet/follow-discards.ts";
import { enqueueEpic, removedStories } from "../../fleet/enqueue-epic.ts";
import type { CommandContext } from "../../program/command.ts";

export interface SyncedFleet {
  readonly epics: readonly string[];
  readonly queued: readonly string[];
  /** Stories of these epics that no member takes, and why. They stay so. */
  readonly parked: readonly { readonly story: string; readonly why: ParkReason }[];
  /** Stories that were in the queue, and that people have removed from the project. */
  readonly gone: readonly string[];
  /** How many stories have an owner that the remote knows. */
  readonly fences: number;
  /** Landed stories that the remote still had refs of. */
  readonly cleaned: readonly string[];
  /** What could not be removed, in sentences. */
  readonly left: readonly string[];
}

export async function syncFleet(
  { io, openProject }: CommandContext,
  fleet: Fleet & { readonly repository: Repository },
): Promise<SyncedFleet> {
  const { repository, root, leases, openJobs, epicBudgets } = fleet;
  const store = openProject();
  const fences = await readFences(repository);
  for (const { storyId, fence } of fences) await leases.raiseFence?.(storyLease(storyId), fence);
  // First: it brings the states of stories that other machines worked on.
  const onProblem = (sentence: string): void => io.writeError(`${sentence}\n`);
  await openFollowingLook({ store, repository, env: io.env, fleet, onProblem }).look();
  const { branch, shared: commit } = await followBase(
    repository,
    (await store.settings()).git.base,
  );
  const { discards } = await readRemoteStories(repository, branch);
  // One with a branch was begun again.
  const discarded = new Set(
    discards.filter((one) => one.branch === undefined).map(({ storyId }) => storyId),
  );
  const jobs = await openJobs();
  try {
    const gone = commit === undefined ? [] : await dropRemoved({ repository, jobs }, commit);
    const queued: string[] = [];
    const open = new Set<string>();
    const shared = await readSharedEpics(repository);
    for (const epic of shared) {
      const place = { store, repository, jobs, root, epicBudgets };
      const enqueued = await enqueueEpic(place, epic, { discarded });
      queued.push(...enqueued.queued);
      for (const story of enqueued.open) open.add(story);
    }
    const parked = newestJobs(await jobs.list(), open).flatMap(({ story, parked: why }) =>
      why === undefined ? [] : [{ story, why }],
    );
    const cleaning = { store, env: io.env, isDryRun: false, repository };
    const { removed: cleaned, left } = await cleanSharedRefs(cleaning);
    const epics = shared.map(({ epicId }) => epicId);
    return { epics, queued, parked, gone, fences: fences.length, cleaned, left };
  } finally {
    await jobs.close();
  }
}

/** What depends on one need not wait for it any longer. */
async function dropRemoved(
  { repository, jobs }: { readonly repository: Repository; readonly jobs: Jobs },
  commit: string,
): Promise<readonly string[]> {
  const all = await jobs.list();
  const newest = newestJobs(all, new Set(all.map(({ story }) => story)));
  const idle = newest.filter(({ state }) => state !== "done" && state !== "active");
  const stories = idle.map(({ story }) => story);
  const gone = await removedStories(repository.git, commit, stories);
  for (const story of gone) await jobs.markMerged(story);
  return gone;
}
