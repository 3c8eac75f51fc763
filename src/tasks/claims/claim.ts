// A task belongs to one worker at a time, among all daemons and machines that share the list.
//
// The claim itself is ownership of the task's id (`claimer.ts`). Then it is written into the task, under Claude's lock and
// durably, if the task can still be claimed. An owner that others had to count as dead finds a later claim than its own,
// and writes nothing more.

import { statSync } from "node:fs";
import { ifThere } from "../../machine/files/files.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import type { Lease } from "../../store/ownership/ownership.ts";
import type { ClaimerRecord } from "../../store/claims/claimer-file.ts";
import type { Claimer } from "../../store/claims/claimer.ts";
import { asClaimed, isHeldForPerson, asReleased } from "./claimed-task.ts";
import { readTaskFile, taskFileName, type TaskFile } from "../../claude/tasks/file.ts";
import { rewriteTask, type WriteOptions } from "../../claude/tasks/list.ts";
import { STALE_LOCK_WAIT_MS } from "../../claude/tasks/lock.ts";

export type TaskChange = (task: ClaudeCodeTask) => ClaudeCodeTask;

export type ClaimResult =
  | { readonly kind: "claimed"; readonly claim: Claim; readonly task: ClaudeCodeTask }
  | { readonly kind: "held"; readonly by: ClaimerRecord }
  /** It can no longer be claimed; `why` is a sentence. */
  | { readonly kind: "changed"; readonly why: string }
  | { readonly kind: "gone" };

/**
 * `lost`: another worker has taken it over. `gone`: its file is gone. In both cases nothing was written. `changed`: it
 * was written, except for a status and owner that someone else has set meanwhile.
 */
export type ClaimWrite = "done" | "changed" | "lost" | "gone";

export interface Claim {
  readonly taskId: string;
  readonly fence: number;
  /** False when another worker has taken it over. */
  readonly isMine: () => Promise<boolean>;
  /** Sets it to completed, without owner, and releases the claim. */
  readonly complete: (change?: TaskChange) => Promise<ClaimWrite>;
  /** Sets it to pending, without owner, and releases the claim. Changes by others stay. */
  readonly returnTask: (change?: TaskChange) => Promise<ClaimWrite>;
  readonly update: (change: TaskChange) => Promise<ClaimWrite>;
}

export async function claimTask(
  list: string,
  claimer: Claimer,
  taskId: string,
  { isDurable = true }: Pick<WriteOptions, "isDurable"> = {},
): Promise<ClaimResult> {
  let refused: ClaimRefusal | undefined;
  // Fences are permanent: none is used on a task that cannot be claimed.
  const mayTake = async (): Promise<boolean> => {
    refused = refusal(await readTaskFile(list, taskId));
    return refused === undefined;
  };
  const attempt = await claimer.take(taskId, { mayTake, isRetried: true });
  if (attempt?.heldBy) return { kind: "held", by: attempt.heldBy };
  if (!attempt) return refused ?? TAKEN_OVER;
  const { lease } = attempt;
  const createdAtMs = hasNumber(taskId) ? undefined : fileCreatedAt(list, taskId);
  const begin = (task: ClaudeCodeTask): ClaudeCodeTask =>
    asClaimed(task, claimer.owner, createdAtMs);
  let isClaimed = false;
  try {
    const { found, written } = await rewriteTask(
      list,
      taskId,
      async (file) => (isFree(file) && (await lease.isMine()) ? begin(file.task) : undefined),
      { isDurable, waitMs: STALE_LOCK_WAIT_MS },
    );
    if (!written) return refusal(found) ?? TAKEN_OVER;
    isClaimed = true;
    return { kind: "claimed", task: written, claim: newClaim(list, claimer, lease) };
  } finally {
    if (!isClaimed) await lease.release();
  }
}

const TAKEN_OVER = { kind: "changed", why: "Another worker has taken over the task." } as const;

/** Why a task cannot be claimed, as a sentence. Undefined when it can. */
function whyNot(file: TaskFile): string | undefined {
  if (file.kind === "gone") return "It no longer exists.";
  if (file.kind !== "task") return file.message;
  const { status, owner } = file.task;
  if (status !== "pending") return `It is ${status.replace("_", " ")}.`;
  if (owner) return `It belongs to ${owner}.`;
  return isHeldForPerson(file.task) ? "It is on hold until a person releases it." : undefined;
}

const isFree = (file: TaskFile): file is TaskFile & { kind: "task" } => whyNot(file) === undefined;

type ClaimRefusal = Extract<ClaimResult, { kind: "changed" | "gone" }>;

function refusal(file: TaskFile): ClaimRefusal | undefined {
  if (file.kind === "gone") return { kind: "gone" };
  const why = whyNot(file);
  return why === undefined ? undefined : { kind: "changed", why };
}

const hasNumber = (taskId: string): boolean => /^\d+$/.test(taskId);

function fileCreatedAt(list: string, taskId: string): number | undefined {
  const stat = ifThere(() => statSync(`${list}/${taskFileName(taskId)}`));
  // Not every file system has the creation time.
  return stat && (stat.birthtimeMs || stat.ctimeMs);
}

function newClaim(list: string, claimer: Claimer, lease: Lease): Claim {
  const { name: taskId, fence, isMine } = lease;
  /** Writes only while the claim is ours. */
  const write = async (
    decide: (task: ClaudeCodeTask) => ClaudeCodeTask | undefined,
  ): Promise<ClaimWrite> => {
    const { found, written } = await rewriteTask(
      list,
      taskId,
      async (file) => (file.kind === "task" && (await isMine()) ? decide(file.task) : undefined),
      { isDurable: true, waitMs: STALE_LOCK_WAIT_MS },
    );
    if (found.kind === "gone") return "gone";
    if (!written || found.kind !== "task") return "lost";
    return isAsClaimed(found.task, claimer.owner) ? "done" : "changed";
  };
  const release = async (result: ClaimWrite): Promise<ClaimWrite> => {
    // After the task is written: before that, another worker could claim its old state.
    await lease.release();
    return result;
  };
  return {
    taskId,
    fence,
    isMine,
    update: (change) =>
      write((task) =>
        isAsClaimed(task, claimer.owner)
          ? asClaimed(change(task), claimer.owner, undefined)
          : undefined,
      ),
    // Merged work is done, whatever someone else has changed in the task meanwhile.
    complete: async (change = (task) => task) => {
      const result = await write((task) => asReleased(change(task), "completed"));
      return release(result === "changed" ? "done" : result);
    },
    returnTask: async (change = (task) => task) =>
      release(await write((task) => asReturned(task, change(task), claimer.owner))),
  };
}

const isAsClaimed = ({ status, owner }: ClaudeCodeTask, by: string): boolean =>
  status === "in_progress" && owner === by;

/** Removes the claim's own fields. A status or owner that someone else has set since stays. */
function asReturned(found: ClaudeCodeTask, after: ClaudeCodeTask, by: string): ClaudeCodeTask {
  const hasOtherOwner = Boolean(found.owner) && found.owner !== by;
  const released = asReleased(after, found.status === "completed" ? "completed" : "pending");
  return hasOtherOwner ? { ...released, status: found.status, owner: found.owner } : released;
}
