// In a fleet: deletes what the remote still has of landed stories. The machine that landed a story does that itself, but it
// may have died in between, or the remote may have refused.

import { removeAtRemote } from "../../repo/delivery/merged-branch.ts";
import { openForge } from "../../repo/open-forge.ts";
import { readDeliveries } from "../../repo/records/delivery-record.ts";
import { followBase } from "../../repo/sharing/follow-base.ts";
import { landedElsewhere } from "../../repo/sharing/landed-elsewhere.ts";
import { readLeftovers, type LeftoverRemoval } from "../../repo/sharing/leftovers.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { CleanedBranches } from "./branches.ts";
import { CLEANING } from "./with-lease.ts";
import type { Context } from "../../context.ts";

export interface SharedCleaning extends Pick<Context, "store" | "env" | "repository"> {
  readonly isDryRun: boolean;
}

export async function cleanSharedRefs({
  store,
  env,
  isDryRun,
  repository,
}: SharedCleaning): Promise<CleanedBranches> {
  const removed: string[] = [];
  const left: string[] = [];
  const all = await readLeftovers(repository);
  if (all.size === 0) return { removed, left };
  const settings = await store.settings();
  const forge = openForge(repository, { settings, env, now: Date.now });
  const { git } = repository;
  const base = await followBase(repository, settings.git.base);
  if (!base.isCurrent) return { removed, left: [base.behind ?? "The remote is unreachable."] };
  const { stories, archived } = await store.overview(new Set(all.keys()));
  for (const [storyId, leftovers] of all) {
    const isCompleted = archived.has(storyId) || stories.get(storyId)?.state === "completed";
    const { done } = await readDeliveries(git, storyId);
    const { branch } = leftovers;
    // The record may be of another machine's merge, and name a commit of this clone that did not land.
    const landed =
      (await landedElsewhere(repository, base, { storyId, isCompleted, branch })) ??
      (done?.tip === branch ? done : undefined);
    if (landed === undefined) continue;
    const removal = await owning(storyId, (owner) =>
      removeAtRemote({
        repository,
        storyId,
        forge,
        there: branch,
        shared: { owner, leftovers },
        landed,
        isDryRun,
      }),
    );
    if (removal === undefined) continue;
    const { why, kept } = removal;
    left.push(...[why, kept].filter((sentence) => sentence !== undefined));
    // If nothing but such work was left, nothing was removed.
    const isAll = kept !== undefined && branch === undefined && leftovers.lease === undefined;
    if (why === undefined && !isAll) removed.push(`${storyId} at ${repository.remote?.name}`);
  }
  return { removed, left };

  /** Undefined while a worker runs it. The lease of a dead worker is not needed: its work has landed. */
  async function owning<T>(
    storyId: string,
    act: (owner: LeftoverRemoval["owner"]) => Promise<T>,
  ): Promise<T | undefined> {
    const name = storyLease(storyId);
    if (isDryRun) {
      const isFree = (await store.leases.read(name))?.life !== "alive";
      return isFree ? act({ fence: 0, isMine: async () => false }) : undefined;
    }
    const { lease } = await store.leases.acquire(name, CLEANING);
    if (!lease) return undefined;
    try {
      return await act(lease);
    } finally {
      await lease.release();
    }
  }
}
