// Whether the target can be moved at all. Checked before an agent is paid for work that could not be merged.

import { whyNotMovable } from "../../repo/delivery/target.ts";
import { laneId } from "../../landing/lane-id.ts";
import { laneLease } from "../../store/leases/lease-names.ts";
import { waitForLease } from "../../store/leases/wait-for-lease.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import { findPoolTarget } from "./prepare-worktree.ts";
import type { PoolWorker } from "./context.ts";

export async function whyTargetIsBusy(worker: PoolWorker): Promise<PoolProblem | undefined> {
  const { repository, settings, env, now } = worker;
  if ((await findProblem(worker)) === undefined) return undefined;
  // A checkout that is being updated by a merge looks like one with changes: check again after the merge.
  const lane = laneId(await findPoolTarget(repository, { settings, env, now }));
  const turn = await waitForLease(worker.store.leases, laneLease(lane), {
    maxWaitMs: 2 * 3600_000,
    pollMs: 100,
    owner: worker.name,
    stop: worker.stop,
  });
  if (turn.kind !== "taken") return undefined;
  try {
    return await findProblem(worker);
  } finally {
    await turn.lease.release();
  }
}

async function findProblem(worker: PoolWorker): Promise<PoolProblem | undefined> {
  const { repository, settings, env, now, updateCheckouts } = worker;
  const target = await findPoolTarget(repository, { settings, env, now });
  const busy = await whyNotMovable(repository, target, { updateCheckouts });
  return busy && busyTarget(`No task was started: ${target.branch} cannot be updated`, busy);
}

/** The next task could not be merged either: a person has to free the checkout, or allow its update. */
export const busyTarget = (
  statement: string,
  { folder, why }: { readonly folder: string; readonly why: string },
): PoolProblem => ({
  kind: "write-failed",
  file: folder,
  message: `${statement}, because it is checked out in ${folder}. ${why} Commit or stash the changes there and start the pool with \`saga auto --update-checkout\`, or switch to another branch in that folder.`,
  needsPerson: true,
});
