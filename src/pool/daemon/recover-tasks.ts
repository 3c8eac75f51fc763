// What dead workers have left: their tasks go back on the list, or are completed when their work had
// arrived already; what they left running is ended, what they left in their worktree is kept. A task
// whose workers die one after the other is for a person to look at.

import type { Context } from "../../context.ts";
import { deadClaims, recoverClaim, type DeadClaim } from "../../tasks/claims/dead-claims.ts";
import type { Claimer, TaskChange } from "../../tasks/claims/claim.ts";
import { messageOf } from "../../errors.ts";
import { redactorFor } from "../../machine/files/redact.ts";
import { snapshotLeftovers } from "../../repo/worktree/fresh-worktree.ts";
import { findWorktree } from "../../repo/worktree/situation.ts";
import { readTarget, type Target } from "../../repo/delivery/target.ts";
import { isWorkerName, readDaemons } from "../../tasks/daemon-files.ts";
import { closeRuns, endProcessesOf, unfinished } from "../../store/runs/run-processes.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { poolTaskOf } from "../../tasks/task.ts";
import { findArrival, type Arrival } from "../result/arrival.ts";
import type { ForeignClaims } from "./foreign-claims.ts";
import { countFailure, mark } from "../list/task-marks.ts";
import { tellOfTask } from "../result/notify.ts";

export interface Recovery extends Pick<
  Context,
  "store" | "settings" | "repository" | "env" | "now"
> {
  /** The name of the list, and where it is. */
  readonly list: string;
  readonly listFolder: string;
  readonly claimer: Claimer;
  readonly target: Target;
  /** Which of the dead are another repository's. */
  readonly elsewhere: ForeignClaims;
  readonly say: (sentence: string) => void;
  readonly stop?: AbortSignal | undefined;
}

export interface Recovered {
  /** Still a dead one's, because it could not be put back; why is a sentence. */
  readonly due: readonly { readonly taskId: string; readonly why: string }[];
  /** Back on the list, with one attempt more. */
  readonly failed: readonly string[];
  /** Too many attempts: on hold until a person has looked at it. */
  readonly held: readonly string[];
}

const TTL_MS = 90_000;

/** One pass over these tasks. Of several daemons that see the same, exactly one returns each. */
export async function recoverTasks(
  recovery: Recovery,
  among: Iterable<string>,
): Promise<Recovered> {
  const { listFolder, claimer, elsewhere, say } = recovery;
  const ends: { taskId: string; end: TaskEnd }[] = [];
  const due: { taskId: string; why: string }[] = [];
  for (const dead of await deadClaims(listFolder, claimer.observer, {
    among,
    isClaimer: isWorkerName,
  })) {
    const { taskId } = dead;
    const owner = dead.task.owner ?? "";
    if (elsewhere.isLeftAlone(dead)) continue;
    try {
      if (isWorkerName(owner)) await tidyUpAfter(recovery, owner);
      ends.push({ taskId, end: await recoverTask(recovery, dead, owner) });
    } catch (error) {
      // The next pass tries again; one task must not keep the others from being looked at.
      const why = `The task ${taskId} of ${owner}, which is dead, is not recovered: ${messageOf(error)}`;
      due.push({ taskId, why });
      say(why);
    }
  }
  const idsOf = (kind: TaskEnd): string[] =>
    ends.flatMap(({ taskId, end }) => (end === kind ? [taskId] : []));
  return { due, failed: idsOf("failed"), held: idsOf("held") };
}

/** `lost`: someone else has done it. */
type TaskEnd = "completed" | "returned" | "failed" | "held" | "lost";

async function recoverTask(recovery: Recovery, dead: DeadClaim, owner: string): Promise<TaskEnd> {
  const { listFolder, claimer, settings, say, now } = recovery;
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
    // The next worker runs the checks on the target, and completes it with this commit.
    if (arrival) return mark({ run: undefined, finished: arrival.commit });
    if (!hasDiedAlone(recovery, dead, owner)) return mark({ run: undefined });
    const reason = `Its worker ${owner} died while it was working on it.`;
    const at = new Date(now()).toISOString();
    counted = countFailure(attemptsOf(task), { reason, maxAttempts, at });
    return mark(counted.marks);
  };
  if ((await recoverClaim(listFolder, claimer, dead, decide)) === "lost") return "lost";
  const merged = `it had merged it as ${arrival?.commit.slice(0, 12)}`;
  if (arrival?.isProven) {
    say(`${taskId} is completed: ${owner} has died after ${merged}`);
    return "completed";
  }
  if (arrival) {
    say(
      `${taskId} is back on the list: ${owner} has died after ${merged}, without a valid receipt`,
    );
    return "returned";
  }
  const why = counted?.marks.held?.why;
  if (why !== undefined) {
    say(`${taskId} needs a person: ${why}`);
    await tell(recovery, dead, why);
    return "held";
  }
  const attempt = counted ? ` (attempt ${counted.marks.attempts} of ${maxAttempts})` : "";
  say(`${taskId} is back on the list: ${owner} has died${attempt}`);
  return counted ? "failed" : "returned";
}

/**
 * A worker that dies while its daemon lives may have died of its task, and the next one as well. Those that
 * went down with their daemon or the machine say nothing about what they were doing, nor does one that
 * had to be ended by a pool that stops.
 */
function hasDiedAlone(
  { store, claimer, stop }: Recovery,
  { last }: DeadClaim,
  owner: string,
): boolean {
  const card = last?.claimer;
  if (card?.owner !== owner || stop?.aborted === true) return false;
  if (card.instance === claimer.instance) return true;
  return readDaemons(store.project).some(
    ({ daemon, life }) => daemon.instance === card.instance && life === "alive",
  );
}

const attemptsOf = (task: ClaudeCodeTask): number => poolTaskOf(task, 0).task?.attempts ?? 0;

async function tell(recovery: Recovery, { taskId, task, last }: DeadClaim, why: string) {
  const { settings, env, store, say } = recovery;
  const redact = redactorFor(env, store.project, settings.worktree.copy);
  const speaker = { ...recovery, redact };
  const occasion = last?.claimer?.nonce ?? String(last?.number);
  const held = { id: taskId, subject: task.subject, occasion, reason: why, isQuestion: false };
  for (const warning of await tellOfTask(speaker, held)) say(warning);
}

/** As far as it is this project's, and nobody has begun in its place. */
async function tidyUpAfter(recovery: Recovery, worker: string): Promise<void> {
  const { store, settings, repository, now, target, say } = recovery;
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
    const commit = await readTarget(repository, target, recovery.stop);
    const { branch } = target;
    const base = { branch, target: branch, commit, ref: commit, copies: [commit], warnings: [] };
    const exclude = [...settings.worktree.copy, ...settings.worktree.link];
    const onSnapshot = ({ ref }: { ref: string }): void => say(`${worker} has left work: ${ref}`);
    const asked = { repository, storyId: worker, base, exclude, onSnapshot };
    await snapshotLeftovers(asked, repository.git.at(folder), "its worker has died");
  } finally {
    lease.release();
  }
}
