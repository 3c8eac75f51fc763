// A task belongs to one worker at a time, among all daemons and machines that share the list.
//
// The claim itself is a link that only one process can create (`claim-chain.ts`). Then it is written into the task, under
// Claude's lock and durably, if the task can still be claimed. An owner that others had to count as dead finds a later
// claim than its own, and writes nothing more.

import { statSync } from "node:fs";
import { ifThere } from "../../machine/files/files.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import {
  openClaimerFile,
  type ClaimerFile,
  type ClaimerRecord,
  type ClaimerIdentity,
} from "./claimer-file.ts";
import {
  claimersFolder,
  endClaim,
  isClaimAlive,
  isNewest,
  generationExists,
  readGeneration,
  tryGeneration,
  type Generation,
} from "./claim-chain.ts";
import { asClaimed, isHeldForPerson, asReleased } from "./claimed-task.ts";
import { newClaimObserver, type ClaimObserver } from "./claim-observer.ts";
import { readTaskFile, taskFileName, type TaskFile } from "../../claude/tasks/file.ts";
import { rewriteTask, type WriteOptions } from "../../claude/tasks/list.ts";
import { STALE_LOCK_WAIT_MS } from "../../claude/tasks/lock.ts";

export interface Claimer {
  readonly owner: string;
  readonly instance: string;
  readonly card: ClaimerFile;
  readonly observer: ClaimObserver;
  /** A heartbeat for processes that cannot see this one; one for all claims. */
  readonly beat: () => void;
  /** Deletes the file unless a task is still claimed with it. */
  readonly close: () => void;
  /** The tasks that are claimed with it. */
  readonly taskIds: Set<string>;
}

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
  readonly generation: number;
  /** False when another worker has taken it over. */
  readonly isMine: () => boolean;
  /** Sets it to completed, without owner, and releases the claim. */
  readonly complete: (change?: TaskChange) => Promise<ClaimWrite>;
  /** Sets it to pending, without owner, and releases the claim. Changes by others stay. */
  readonly returnTask: (change?: TaskChange) => Promise<ClaimWrite>;
  readonly update: (change: TaskChange) => Promise<ClaimWrite>;
}

export interface ClaimOptions extends Pick<WriteOptions, "isDurable"> {
  /** Another change in the same write. */
  readonly change?: TaskChange;
}

export function openClaimer(
  list: string,
  request: ClaimerIdentity & { readonly observer?: ClaimObserver },
): Claimer {
  const { observer = newClaimObserver(), ...identity } = request;
  const { owner, instance } = identity;
  const claimedIds = new Set<string>();
  const file = openClaimerFile(`${claimersFolder(list)}/${instance}.${owner}`, identity);
  return {
    owner,
    instance,
    card: file,
    observer,
    taskIds: claimedIds,
    beat: () => file.beat(),
    close: () => file.close({ isOver: claimedIds.size === 0 }),
  };
}

export async function claimTask(
  list: string,
  claimer: Claimer,
  taskId: string,
  { isDurable = true, change = (task) => task }: ClaimOptions = {},
): Promise<ClaimResult> {
  const taken = await takeGeneration(list, claimer, taskId);
  if (taken.kind !== "taken") return taken;
  const { generation } = taken;
  const isMine = (): boolean => isNewest(list, claimer.card, taskId, generation);
  const createdAtMs = hasNumber(taskId) ? undefined : fileCreatedAt(list, taskId);
  const begin = (task: ClaudeCodeTask): ClaudeCodeTask =>
    asClaimed(change(task), claimer.owner, createdAtMs);
  let isClaimed = false;
  try {
    const { found, written } = await rewriteTask(
      list,
      taskId,
      (file) => (isFree(file) && isMine() ? begin(file.task) : undefined),
      { isDurable, waitMs: STALE_LOCK_WAIT_MS },
    );
    if (!written) return refusal(found) ?? { kind: "changed", why: TAKEN_OVER };
    isClaimed = true;
    claimer.taskIds.add(taskId);
    return {
      kind: "claimed",
      task: written,
      claim: newClaim(list, claimer, taskId, generation),
    };
  } finally {
    if (!isClaimed) endClaim(list, taskId, generation);
  }
}

const TAKEN_OVER = "Another worker has taken over the task.";

type GenerationResult =
  | { readonly kind: "taken"; readonly generation: number }
  | Exclude<ClaimResult, { kind: "claimed" }>;

/** Takes the first free number, if the owner of the last one is dead or has released it. */
async function takeGeneration(
  list: string,
  claimer: Claimer,
  taskId: string,
): Promise<GenerationResult> {
  taskFileName(taskId);
  const cachedObserver = { isDead: claimer.observer.isDeadCached };
  let number = 1;
  let before: Generation | undefined;
  for (;;) {
    if (before && !generationExists(list, taskId, number)) {
      if (before.claimer && isClaimAlive(list, taskId, before, cachedObserver)) {
        return { kind: "held", by: before.claimer };
      }
      // Numbers are permanent: none is used on a task that cannot be claimed.
      const refused = refusal(await readTaskFile(list, taskId));
      if (refused) return refused;
    }
    if (tryGeneration(list, claimer.card, taskId, { number, before })) {
      return { kind: "taken", generation: number };
    }
    before = readGeneration(list, taskId, number);
    // Deleted in this moment: numbers start again.
    number = before ? number + 1 : 1;
  }
}

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

function refusal(file: TaskFile): Exclude<ClaimResult, { kind: "claimed" }> | undefined {
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

function newClaim(list: string, claimer: Claimer, taskId: string, generation: number): Claim {
  const isMine = (): boolean => isNewest(list, claimer.card, taskId, generation);
  const isOurs = (file: TaskFile): file is TaskFile & { kind: "task" } =>
    file.kind === "task" && isMine();
  const isAtWork = (file: TaskFile): file is TaskFile & { kind: "task" } =>
    isOurs(file) && isAsClaimed(file.task, claimer.owner);
  const write = async (
    decide: (file: TaskFile) => ClaudeCodeTask | undefined,
  ): Promise<ClaimWrite> => {
    const options = { isDurable: true, waitMs: STALE_LOCK_WAIT_MS };
    const { found, written } = await rewriteTask(list, taskId, decide, options);
    if (found.kind === "gone") return "gone";
    if (!written || found.kind !== "task") return "lost";
    return isAsClaimed(found.task, claimer.owner) ? "done" : "changed";
  };
  const release = (result: ClaimWrite): ClaimWrite => {
    // After the task is written: before that, another worker could claim its old state.
    if (isMine()) endClaim(list, taskId, generation);
    claimer.taskIds.delete(taskId);
    return result;
  };
  return {
    taskId,
    generation,
    isMine,
    update: (change) =>
      write((file) =>
        isAtWork(file) ? asClaimed(change(file.task), claimer.owner, undefined) : undefined,
      ),
    // Merged work is done, whatever someone else has changed in the task meanwhile.
    complete: async (change = (task) => task) => {
      const result = await write((file) =>
        isOurs(file) ? asReleased(change(file.task), "completed") : undefined,
      );
      return release(result === "changed" ? "done" : result);
    },
    returnTask: async (change = (task) => task) =>
      release(
        await write((file) =>
          isOurs(file) ? asReturned(file.task, change(file.task), claimer.owner) : undefined,
        ),
      ),
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
