// Tasks in progress whose worker is dead. Of several processes that find one, exactly one returns it: the one that claims
// it next.

import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { claimantsOf, leaveAgain, readClaim, type ClaimState } from "../../store/claims/claims.ts";
import type { ClaimObserver } from "../../store/claims/claim-observer.ts";
import { asReleased } from "./claimed-task.ts";
import type { TaskChange } from "./claim.ts";
import type { Claimer } from "../../store/claims/claimer.ts";
import { readTaskFile, taskIdsIn, type TaskFile } from "../../claude/tasks/file.ts";
import { rewriteTask } from "../../claude/tasks/list.ts";
import { STALE_LOCK_WAIT_MS } from "../../claude/tasks/lock.ts";

export interface DeadClaim {
  readonly taskId: string;
  /** As it was found. Its owner is the dead worker. */
  readonly task: ClaudeCodeTask;
  /** The last claim. Undefined when it was released, or lost in a power cut. */
  readonly last: ClaimState | undefined;
}

export interface DeadClaimsOptions {
  /** Only these tasks, for example those in progress. */
  readonly among?: Iterable<string>;
  /**
   * Whether an owner with that name is always a claimer. Then its task is returned even without any claim: the task
   * survives a power cut, the claim may not.
   */
  readonly isClaimer?: (owner: string) => boolean;
}

/** Tasks in progress whose last claim is dead. Tasks that were never claimed belong to others. */
export async function deadClaims(
  list: string,
  observer: ClaimObserver,
  { among, isClaimer }: DeadClaimsOptions = {},
): Promise<DeadClaim[]> {
  const dead: DeadClaim[] = [];
  for (const taskId of among ?? taskIdsIn(list)) {
    const last = await readClaim(list, taskId, observer);
    const isUnclaimed = last === undefined && isClaimer === undefined;
    if (isUnclaimed || last?.life === "alive") continue;
    const file = await readTaskFile(list, taskId);
    if (file.kind !== "task" || file.task.status !== "in_progress") continue;
    const owner = file.task.owner ?? "";
    // Of all claims: the last claimer may have died while it returned the task of an earlier one.
    const isOwnerDead =
      isClaimer?.(owner) || (last && claimantsOf(list, taskId, observer).has(owner));
    if (isOwnerDead) dead.push({ taskId, task: file.task, last });
  }
  return dead;
}

export interface RecoverOptions {
  /** Also from a claimer that is alive. */
  readonly isForced?: boolean | undefined;
}

/**
 * Returns a dead worker's task: to pending, or to completed if `decide` says so. `decide` is called after the task is
 * claimed. `lost`: another process was first, or the task has changed.
 */
export async function recoverClaim(
  list: string,
  claimer: Claimer,
  { taskId, task: found, last }: DeadClaim,
  decide: (task: ClaudeCodeTask) => TaskChange | Promise<TaskChange>,
  { isForced = false }: RecoverOptions = {},
): Promise<"returned" | "lost"> {
  const isLeft = (file: TaskFile): file is TaskFile & { kind: "task" } =>
    file.kind === "task" && file.task.status === "in_progress" && file.task.owner === found.owner;
  const attempt = await claimer.take(taskId, {
    mayTake: async () => isLeft(await readTaskFile(list, taskId)),
    evenFrom: isForced ? last?.fence : undefined,
  });
  if (!attempt?.lease) return "lost";
  const { lease } = attempt;
  try {
    const change = await decide(found);
    const { written } = await rewriteTask(
      list,
      taskId,
      async (file) =>
        isLeft(file) && (await lease.isMine()) ? returned(change(file.task)) : undefined,
      { isDurable: true, waitMs: STALE_LOCK_WAIT_MS },
    );
    await lease.release();
    return written ? "returned" : "lost";
  } catch (error) {
    const isMine = await lease.isMine();
    await lease.release();
    // The task still belongs to the dead worker, and must be found again.
    if (isMine && last) leaveAgain(list, taskId, last.fence, lease.fence);
    throw error;
  }
}

const returned = (after: ClaudeCodeTask): ClaudeCodeTask =>
  asReleased(after, after.status === "completed" ? "completed" : "pending");
