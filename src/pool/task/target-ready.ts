// Whether the target can be moved at all, looked at before an agent is paid for work that nobody could take.

import { whyNotMovable } from "../../repo/delivery/target.ts";
import { MERGE_LEASE } from "../../store/leases/lease-names.ts";
import { waitForLease } from "../../store/leases/wait-for-lease.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import { MERGE_TURN } from "../result/merge-task.ts";
import { findTarget } from "./prepare-worktree.ts";
import type { PoolWorker } from "./context.ts";

export async function whyTargetIsBusy(worker: PoolWorker): Promise<PoolProblem | undefined> {
  if ((await look(worker)) === undefined) return undefined;
  // A checkout that is just being brought up to date looks like one with changes.
  const turn = await waitForLease(worker.store.leases, MERGE_LEASE, {
    ...MERGE_TURN,
    owner: worker.name,
    stop: worker.stop,
  });
  if (turn.kind !== "taken") return undefined;
  try {
    return await look(worker);
  } finally {
    turn.lease.release();
  }
}

async function look(worker: PoolWorker): Promise<PoolProblem | undefined> {
  const { repository, settings, env, now, updateCheckouts } = worker;
  const target = await findTarget(repository, { settings, env, now });
  const busy = await whyNotMovable(repository, target, { updateCheckouts });
  return busy && busyTarget(`No task is begun: ${target.branch} could not be moved`, busy);
}

/** The next task could not be merged either: a person has to make room, or say that it may be updated. */
export const busyTarget = (
  begin: string,
  { folder, why }: { readonly folder: string; readonly why: string },
): PoolProblem => ({
  kind: "write-failed",
  file: folder,
  message: `${begin}, because it is checked out in ${folder}. ${why} Start the pool with --update-checkout or set delivery.update_checkout, and leave no changes there; or switch to another branch in that folder.`,
  needsPerson: true,
});
