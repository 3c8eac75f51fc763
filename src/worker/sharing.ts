// A story's work on its way to the other machines of a fleet: its commits as they are made, and snapshots of what is not
// committed, each after the search for secrets. A push that fails never stops the work: the next one brings everything.

import { messageWithHint } from "../errors.ts";
import { throttle, type Throttled } from "../agent/throttle.ts";
import { pushBranch, pushSnapshot } from "../gate/push-branch.ts";
import type { Snapshot } from "../repo/snapshots/snapshot.ts";
import { sharedSnapshotRef } from "../repo/sharing/shared-snapshots.ts";
import { readReceipts } from "../store/runs/receipts.ts";
import type { PreparedWork } from "./context.ts";

export interface Sharing {
  /** Pushes the branch soon. */
  readonly pushSoon: () => void;
  readonly pushSnapshot: (snapshot: Snapshot) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Outside of a fleet. */
export const NO_SHARING: Sharing = {
  pushSoon: () => undefined,
  pushSnapshot: async () => undefined,
  end: async () => undefined,
};

/** More often would push each of several commits that arrive at once. */
const PUSH_EVERY_MS = 1_000;

export function startSharing(work: Omit<PreparedWork, "sharing">): Sharing {
  const { owner, fence, record } = work;
  if (owner === undefined || fence === undefined) return NO_SHARING;
  const warned = new Set<string>();
  const warn = (error: unknown): void => {
    const why = record.redact(messageWithHint(error));
    // An unreachable remote would be reported at every commit.
    if (!warned.has(why)) record.warn(`Other machines cannot see the latest work yet: ${why}`);
    warned.add(why);
  };
  const pushing: Throttled = throttle(
    async () => pushBranch(await pushOf(work)),
    PUSH_EVERY_MS,
    warn,
  );
  return {
    pushSoon: pushing.request,
    async pushSnapshot({ commit, number }) {
      if (work.isTakenOver()) return;
      const to = sharedSnapshotRef(owner, number);
      await pushSnapshot(await pushOf(work), { commit, to }).catch(warn);
    },
    end: pushing.end,
  };
}

export async function pushOf(
  work: Omit<PreparedWork, "sharing">,
): Promise<Parameters<typeof pushBranch>[0]> {
  const { repository, base, branch, context, request, record, fence } = work;
  const { receipts } = await readReceipts(context, request.storyId);
  return {
    repository,
    storyId: request.storyId,
    branch,
    base,
    settings: context.settings,
    receipts,
    redact: record.redact,
    stop: context.stop,
    fence,
  };
}
