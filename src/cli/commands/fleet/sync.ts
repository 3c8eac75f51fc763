// Builds the queue again from git: the epics that the fleet works on are refs at the remote, and what is done is in their
// stories. Fences continue after those that the remote knows, so that earlier owners stay locked out.

import type { Fleet } from "../../../fleet/fleet.ts";
import type { Repository } from "../../../repo/repository.ts";
import { readFences } from "../../../repo/sharing/lease-ref.ts";
import { readSharedEpics } from "../../../repo/sharing/shared-epics.ts";
import { storyLease } from "../../../store/leases/lease-names.ts";
import { cleanSharedRefs } from "../../clean/shared-refs.ts";
import { openFollowingLook } from "../../fleet/follow-discards.ts";
import { enqueueEpic } from "../../fleet/enqueue-epic.ts";
import type { CommandContext } from "../../program/command.ts";

export interface SyncedFleet {
  readonly epics: readonly string[];
  readonly queued: readonly string[];
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
  const { repository, root, leases, openJobs } = fleet;
  const store = openProject();
  const fences = await readFences(repository);
  for (const { storyId, fence } of fences) await leases.raiseFence?.(storyLease(storyId), fence);
  const jobs = await openJobs();
  try {
    const queued: string[] = [];
    const shared = await readSharedEpics(repository);
    for (const epic of shared) {
      queued.push(...(await enqueueEpic({ store, repository, jobs, root }, epic)).queued);
    }
    const onProblem = (sentence: string): void => io.writeError(`${sentence}\n`);
    await openFollowingLook({ store, repository, env: io.env, fleet, onProblem }).look();
    const cleaning = { store, env: io.env, isDryRun: false, repository };
    const { removed: cleaned, left } = await cleanSharedRefs(cleaning);
    const epics = shared.map(({ epicId }) => epicId);
    return { epics, queued, fences: fences.length, cleaned, left };
  } finally {
    await jobs.close();
  }
}
