// Tasks in progress whose worker is dead. Of several processes that find one, exactly one returns it: the one that makes
// the next claim.

import { readdirSync, rmSync, statSync } from "node:fs";
import { ifThere, readText } from "../../machine/files/files.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { parseClaimer } from "./claimer-file.ts";
import {
  claimersFolder,
  endClaim,
  generationFile,
  isClaimAlive,
  isNewest,
  readChains,
  readGeneration,
  tryGeneration,
  withdrawClaim,
  type Generation,
} from "./claim-chain.ts";
import type { ClaimObserver } from "./claim-observer.ts";
import { asReleased } from "./claimed-task.ts";
import type { Claimer, TaskChange } from "./claim.ts";
import { readTaskFile, taskFileName, taskIdsIn } from "../../claude/tasks/file.ts";
import { rewriteTask } from "../../claude/tasks/list.ts";
import { STALE_LOCK_WAIT_MS, withTaskLock } from "../../claude/tasks/lock.ts";

export interface DeadClaim {
  readonly taskId: string;
  /** As it was found. Its owner is the dead worker. */
  readonly task: ClaudeCodeTask;
  /** The last claim. Undefined when a power cut lost all of them. */
  readonly last: Generation | undefined;
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
  const chains = readChains(list);
  const dead: DeadClaim[] = [];
  for (const taskId of among ?? taskIdsIn(list)) {
    const numbers = chains.get(taskId) ?? [];
    const last = readGeneration(list, taskId, numbers.at(-1) ?? 0);
    const isUnclaimed = last?.claimer === undefined && isClaimer === undefined;
    if (isUnclaimed || (last && isClaimAlive(list, taskId, last, observer))) continue;
    const file = await readTaskFile(list, taskId);
    if (file.kind !== "task" || file.task.status !== "in_progress") continue;
    const owner = file.task.owner ?? "";
    const isOwnerDead =
      isClaimer?.(owner) || (last?.claimer && ownersOf(list, taskId, numbers).has(owner));
    if (isOwnerDead) dead.push({ taskId, task: file.task, last });
  }
  return dead;
}

/** Of all claims: the last claimer may have died while it returned the task of an earlier one. */
const ownersOf = (list: string, taskId: string, numbers: readonly number[]): Set<string> =>
  new Set(numbers.flatMap((number) => readGeneration(list, taskId, number)?.claimer?.owner ?? []));

/**
 * Returns a dead worker's task: to pending, or to completed if `decide` says so. `decide` is called after the task is
 * claimed. `lost`: another process was first, or the task has changed.
 */
export async function recoverClaim(
  list: string,
  claimer: Claimer,
  { taskId, task: found, last }: DeadClaim,
  decide: (task: ClaudeCodeTask) => TaskChange | Promise<TaskChange>,
): Promise<"returned" | "lost"> {
  const number = (last?.number ?? 0) + 1;
  if (!tryGeneration(list, claimer.card, taskId, { number, before: last })) return "lost";
  try {
    const change = await decide(found);
    const { written } = await rewriteTask(
      list,
      taskId,
      (file) => {
        const isLeft =
          file.kind === "task" &&
          file.task.status === "in_progress" &&
          file.task.owner === found.owner;
        return isLeft && isNewest(list, claimer.card, taskId, number)
          ? returned(change(file.task))
          : undefined;
      },
      { isDurable: true, waitMs: STALE_LOCK_WAIT_MS },
    );
    if (isNewest(list, claimer.card, taskId, number)) endClaim(list, taskId, number);
    return written ? "returned" : "lost";
  } catch (error) {
    // The task still belongs to the dead worker, and must be found again.
    if (isNewest(list, claimer.card, taskId, number)) withdrawClaim(list, taskId, number);
    throw error;
  }
}

const returned = (after: ClaudeCodeTask): ClaudeCodeTask =>
  asReleased(after, after.status === "completed" ? "completed" : "pending");

/** Temporary files are renamed within milliseconds; after an hour their writer is gone. */
const STALE_FILE_MS = 60 * 60_000;

/**
 * Deletes claims on completed and deleted tasks, the files of dead claimers, and stale temporary files. Safe while others
 * claim: a claimer reads the task again under Claude's lock.
 */
export async function clearClaims(list: string, observer: ClaimObserver): Promise<void> {
  for (const [taskId, numbers] of readChains(list)) {
    const last = readGeneration(list, taskId, numbers.at(-1) ?? 0);
    if (!last || isClaimAlive(list, taskId, last, observer)) continue;
    const file = await readTaskFile(list, taskId);
    if (file.kind === "gone") removeChain(list, taskId, numbers);
    if (file.kind !== "task" || file.task.status !== "completed") continue;
    await withTaskLock(`${list}/${taskFileName(taskId)}`, async () => {
      const now = await readTaskFile(list, taskId);
      if (now.kind === "task" && now.task.status === "completed") {
        removeChain(list, taskId, numbers);
      }
    });
  }
  for (const name of ifThere(() => readdirSync(claimersFolder(list))) ?? []) {
    const path = `${claimersFolder(list)}/${name}`;
    const claimer = parseClaimer(ifThere(() => readText(path)) ?? "");
    if (claimer && observer.isDead(claimer, () => ifThere(() => statSync(path).mtimeMs) ?? 0)) {
      rmSync(path, { force: true });
    }
  }
  for (const name of ifThere(() => readdirSync(list)) ?? []) {
    if (!/^\..*\.new$/.test(name)) continue;
    const stat = ifThere(() => statSync(`${list}/${name}`));
    if (stat && Date.now() - stat.mtimeMs > STALE_FILE_MS)
      rmSync(`${list}/${name}`, { force: true });
  }
}

/** Lowest first: after a crash the last one, which is dead or ended, still counts. */
function removeChain(list: string, taskId: string, numbers: readonly number[]): void {
  for (const number of numbers) rmSync(generationFile(list, taskId, number), { force: true });
}
