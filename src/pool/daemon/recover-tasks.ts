// Recovers from dead workers: their tasks go back on the list, or are completed if their work was already merged;
// processes they left are ended, and changes in their worktree are kept as a snapshot. A task whose workers die again
// and again is held for a person.

import type { Context } from "../../context.ts";
import { baseAt } from "../task/prepare-worktree.ts";
import { deadClaims, recoverClaim, type DeadClaim } from "../../tasks/claims/dead-claims.ts";
import type { TaskChange } from "../../tasks/claims/claim.ts";
import type { Claimer } from "../../store/claims/claimer.ts";
import { messageOf } from "../../errors.ts";
import { redactorFor } from "../../machine/files/redact.ts";
import { snapshotLeftovers } from "../../repo/worktree/fresh-worktree.ts";
import { findWorktree } from "../../repo/worktree/situation.ts";
import { readTarget, type Target } from "../../repo/delivery/target.ts";
import { providedPaths } from "../../repo/worktree/provision.ts";
import { isWorkerName, readDaemons } from "../../tasks/daemon-files.ts";
import { closeRuns, endProcessesOf, unfinished } from "../../store/runs/run-processes.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { poolTaskOf } from "../../tasks/task.ts";
import { findArrival, type Arrival } from "../result/merged-task.ts";
import { countFailure, mark } from "../list/task-marks.ts";
import { notifyHeldTask } from "../result/notify.ts";

export interface Recovery extends Pick<
  Context,
  "store" | "settings" | "repository" | "env" | "now"
> {
  /** The name of the list, and its folder. */
  readonly list: string;
  readonly listFolder: string;
  readonly claimer: Claimer;
  readonly target: Target;
  readonly logLine: (sentence: string) => void;
  readonly stop?: AbortSignal | undefined;
}

export interface RecoveryResult {
  /** Tasks that could not be recovered yet; `why` is a sentence. */
  readonly due: readonly { readonly taskId: string; readonly why: string }[];
  /** Returned to the list, with one more attempt counted. */
  readonly failed: readonly string[];
  /** Held for a person after too many attempts. */
  readonly held: readonly string[];
}

const TTL_MS = 90_000;

/** One pass over these tasks. If several daemons do this at once, exactly one recovers each task. */
export async function recoverTasks(
  recovery: Recovery,
  among: Iterable<string>,
): Promise<RecoveryResult> {
  const { listFolder, claimer, logLine } = recovery;
  const ends: { taskId: string; end: RecoveredAs }[] = [];
  const due: { taskId: string; why: string }[] = [];
  for (const dead of await deadClaims(listFolder, claimer.observer, {
    among,
    isClaimer: isWorkerName,
  })) {
    const { taskId } = dead;
    const owner = dead.task.owner ?? "";
    try {
      if (isWorkerName(owner)) await cleanUpAfter(recovery, owner);
      ends.push({ taskId, end: await recoverTask(recovery, dead, owner) });
    } catch (error) {
      // The next pass tries again: one task must not block the others.
      const why = `Task ${taskId} of the dead worker ${owner} could not be recovered: ${messageOf(error)}`;
      due.push({ taskId, why });
      logLine(why);
    }
  }
  const idsOf = (kind: RecoveredAs): string[] =>
    ends.flatMap(({ taskId, end }) => (end === kind ? [taskId] : []));
  return { due, failed: idsOf("failed"), held: idsOf("held") };
}

/** `lost`: another process has recovered it. */
type RecoveredAs = "completed" | "returned" | "failed" | "held" | "lost";

async function recoverTask(
  recovery: Recovery,
  dead: DeadClaim,
  owner: string,
): Promise<RecoveredAs> {
  const { listFolder, claimer, settings, logLine, now } = recovery;
  const { taskId } = dead;
  const { maxAttempts } = settings.auto;
  let arrival: Arrival | undefined;
  let counted: ReturnType<typeof countFailure> | undefined;
  const decide = async (task: ClaudeCodeTask): Promise<TaskChange> => {
    arrival = await findArrival(recovery, task);
    if (arrival?.isProven) {
      const done = mark({ run: undefined, finished: undefined, lastFailure: undefined });
      return (found) => ({ ...done(found), status: "completed" });
    }
    // The next worker runs the checks on the target, and completes the task with this commit.
    if (arrival) return mark({ run: undefined, finished: arrival.commit });
    if (!hasDiedAlone(recovery, dead, owner)) return mark({ run: undefined });
    const reason = `Its worker ${owner} died during the task.`;
    const at = new Date(now()).toISOString();
    counted = countFailure(attemptsOf(task), { reason, maxAttempts, at });
    return mark(counted.marks);
  };
  if ((await recoverClaim(listFolder, claimer, dead, decide)) === "lost") return "lost";
  const merged = `merging it as ${arrival?.commit.slice(0, 12)}`;
  if (arrival?.isProven) {
    logLine(`task ${taskId} is completed: ${owner} died after ${merged}`);
    return "completed";
  }
  if (arrival) {
    logLine(
      `task ${taskId} is back on the list: ${owner} died after ${merged}, without a valid record of its checks`,
    );
    return "returned";
  }
  const why = counted?.marks.held?.why;
  if (why !== undefined) {
    logLine(`task ${taskId} needs you: ${why}`);
    await notify(recovery, dead, why);
    return "held";
  }
  const attempt = counted ? ` (attempt ${counted.marks.attempts} of ${maxAttempts})` : "";
  logLine(`task ${taskId} is back on the list: ${owner} died${attempt}`);
  return counted ? "failed" : "returned";
}

/**
 * A worker that dies while its daemon is alive may have died because of its task, and the next worker might too. A
 * worker that ended with its daemon, with the machine or because the pool was stopped says nothing about its task.
 */
function hasDiedAlone(
  { store, claimer, stop }: Recovery,
  { last }: DeadClaim,
  owner: string,
): boolean {
  const card = last?.record;
  if (card?.owner !== owner || stop?.aborted === true) return false;
  if (card.instance === claimer.instance) return true;
  return readDaemons(store.project).some(
    ({ daemon, life }) => daemon.instance === card.instance && life === "alive",
  );
}

const attemptsOf = (task: ClaudeCodeTask): number => poolTaskOf(task, 0).task?.attempts ?? 0;

async function notify(recovery: Recovery, { taskId, task, last }: DeadClaim, why: string) {
  const { settings, env, store, logLine } = recovery;
  const redact = redactorFor(env, store.project, settings.worktree.copy);
  const sender = { ...recovery, redact };
  const occasion = last?.record.nonce ?? String(last?.fence);
  const held = { id: taskId, subject: task.subject, occasion, reason: why, isQuestion: false };
  for (const warning of await notifyHeldTask(sender, held)) logLine(warning);
}

/** Only for workers of this project whose name no other worker uses now. */
async function cleanUpAfter(recovery: Recovery, worker: string): Promise<void> {
  const { store, settings, repository, now, target, logLine } = recovery;
  const killed = unfinished(await store.listRuns(worker));
  const folder = findWorktree(repository, worker);
  if (killed.length === 0 && folder === undefined) return;
  const request = { owner: "saga auto", ttlMs: TTL_MS };
  const { lease } = await store.leases.acquire(storyLease(worker), request);
  if (!lease) return;
  try {
    await endProcessesOf(killed);
    await closeRuns(store, killed, now());
    if (folder === undefined) return;
    const base = baseAt(target, await readTarget(repository, target, recovery.stop));
    const exclude = providedPaths(settings.worktree);
    const onSnapshot = ({ ref }: { ref: string }): void =>
      logLine(`${worker} left uncommitted work, saved as ${ref}`);
    const snapshotRequest = { repository, storyId: worker, base, exclude, onSnapshot };
    await snapshotLeftovers(snapshotRequest, repository.git.at(folder), "its worker has died");
  } finally {
    await lease.release();
  }
}
