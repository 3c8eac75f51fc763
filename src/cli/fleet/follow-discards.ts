// Follows the discards of other machines, while no process of this machine works on the story. A story that is in use here
// is followed with the next look.

import { messageOf } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { followDiscard } from "../../recover/follow-discard.ts";
import type { Repository } from "../../repo/repository.ts";
import {
  followedDiscards,
  isSameDiscard,
  type RemoteDiscard,
} from "../../repo/sharing/shared-discard.ts";
import { readDiscard } from "../../repo/sharing/remote-stories.ts";
import type { Fleet } from "../../fleet/fleet.ts";
import type { ElsewhereLook } from "../../fleet/view/read-other-machines.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";

interface DiscardPlace {
  readonly store: Store;
  readonly repository: Repository;
  readonly env: Environment;
  readonly fleet: Pick<Fleet, "openExchange">;
  /** What could not be followed, in sentences. */
  readonly onProblem: (sentence: string) => void;
}

const TTL_MS = 600_000;

async function followDiscards(
  place: DiscardPlace,
  discards: readonly RemoteDiscard[],
): Promise<void> {
  if (discards.length === 0) return;
  const followed = await followedDiscards(place.repository.git);
  for (const one of discards) {
    if (isSameDiscard(followed.get(one.storyId), one.discard)) continue;
    await follow(place, one).catch((error: unknown) =>
      place.onProblem(
        `${one.storyId} was discarded on ${one.machine}, but not here: ${messageOf(error)}`,
      ),
    );
  }
}

/** Before this machine does something with a story. Throws if the remote cannot be asked. */
export async function followDiscardOf(place: DiscardPlace, storyId: string): Promise<void> {
  const found = await readDiscard(place.repository, storyId);
  await followDiscards(place, found ? [found] : []);
}

async function follow(place: DiscardPlace, discard: RemoteDiscard): Promise<void> {
  const { store, repository, env, fleet, onProblem } = place;
  const { storyId } = discard;
  // Of this machine alone: what it has is no other machine's business.
  const request = { owner: "saga", purpose: "command", ttlMs: TTL_MS } as const;
  const { lease } = await store.localLeases.acquire(storyLease(storyId), request);
  if (!lease) return;
  try {
    const settings = await store.settings();
    const context = { store, repository, settings, env, now: Date.now };
    const left = await followDiscard(context, discard);
    left.forEach(onProblem);
    // Its runs say so to machines that have not looked at the remote yet.
    await fleet.openExchange(store).send(storyId);
  } finally {
    await lease.release();
  }
}

/** A look at the other machines that also follows what was discarded there. */
export const openFollowingLook = (
  place: Omit<DiscardPlace, "fleet"> & { readonly fleet: Pick<Fleet, "openExchange" | "openLook"> },
): ElsewhereLook =>
  place.fleet.openLook(place.store, place.repository, (discards) =>
    followDiscards(place, discards),
  );
