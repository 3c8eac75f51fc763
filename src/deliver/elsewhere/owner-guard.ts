// The ref of a story's owner at the remote, as a merge must find it: if another machine has taken the story over meanwhile,
// the target does not move.

import { randomUUID } from "node:crypto";
import type { GuardedRef } from "../../repo/sharing/lane-fence.ts";
import { leaseRef } from "../../repo/sharing/lease-ref.ts";

/** Undefined if the remote knows no owner: the story was finished before the project was in a fleet. */
export function ownerGuard(
  refs: ReadonlyMap<string, string>,
  storyId: string,
  { fence, record: { machine } }: StoryLease,
  /** The machine that has the story: it does not change by this. Default: that of the lease. */
  owner = machine,
): GuardedRef | undefined {
  const ref = leaseRef(storyId);
  const from = refs.get(ref);
  if (from === undefined || owner === undefined) return undefined;
  return { ref, from, facts: { Fence: String(fence), Machine: owner, Push: randomUUID() } };
}

interface StoryLease {
  readonly fence: number;
  readonly record: { readonly machine?: string | undefined };
}
