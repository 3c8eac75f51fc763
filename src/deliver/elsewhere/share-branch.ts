// Brings a finished story's branch to the remote before it is put in a lane that the machines of a fleet share: any of them
// may land it.

import { messageWithHint } from "../../errors.ts";
import { readRemoteBranches } from "../../repo/remote-branch.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import { findCommittedWork } from "../committed-work.ts";
import { fenceOf, pushWork } from "../push-story.ts";
import type { DeliverContext } from "../story-work.ts";
import { takeLease } from "../take-lease.ts";

/** False if it cannot be pushed: then only this machine can land it. */
export async function shareBranch(context: DeliverContext, storyId: string): Promise<boolean> {
  const lease = await takeLease(context, storyLease(storyId), storyId);
  try {
    const work = await findCommittedWork(context, storyId);
    const { repository, branch, range } = work;
    const there = (await readRemoteBranches(repository, branch, context.stop)).get(branch);
    if (there === range.commit) return true;
    await pushWork(work, await fenceOf(work, lease));
    return true;
  } catch (error) {
    context.onWarning?.(`No other machine can merge ${storyId}: ${messageWithHint(error)}`);
    return false;
  } finally {
    await lease.release();
  }
}
