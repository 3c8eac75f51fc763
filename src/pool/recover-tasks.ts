// What dead workers have left: their tasks go back on the list, or are completed when their work had
// arrived already; what they left running is ended, what they left in their worktree is kept.

import { deadClaims, recoverClaim, type DeadClaim } from "../claude/dead-claims.ts";
import type { Claimer } from "../claude/task-claims.ts";
import { messageOf } from "../errors.ts";
import type { Repository } from "../repo/base.ts";
import { keepFound } from "../repo/fresh-worktree.ts";
import { commitOfRun } from "../repo/handed-in.ts";
import { findWorktree } from "../repo/situation.ts";
import { readTarget, type Target } from "../repo/target.ts";
import { closeRuns, endLeftovers, unfinished } from "../store/run-processes.ts";
import { storyLease } from "../store/overview.ts";
import type { Store } from "../store/store.ts";
import type { ClaudeCodeTask } from "../story/claude-task.ts";
import type { Settings } from "../story/settings.ts";
import { mark, type TaskChange } from "./task-marks.ts";

export interface Recovery {
  readonly listFolder: string;
  readonly claimer: Claimer;
  readonly store: Store;
  readonly settings: Settings;
  readonly repository: Repository;
  readonly target: Target;
  readonly now: () => number;
  readonly say: (sentence: string) => void;
  readonly stop?: AbortSignal | undefined;
}

const OWNER = /^auto-\d+$/;
const TTL_MS = 90_000;

/** One pass. Of several daemons that see the same, exactly one returns each task. */
export async function recoverTasks(recovery: Recovery): Promise<void> {
  const { listFolder, claimer, say } = recovery;
  const isClaimer = (owner: string): boolean => OWNER.test(owner);
  for (const dead of await deadClaims(listFolder, claimer.observer, { isClaimer })) {
    const owner = dead.task.owner ?? "";
    try {
      if (OWNER.test(owner)) await tidyUpAfter(recovery, owner);
      await recoverTask(recovery, dead, owner);
    } catch (error) {
      // The next pass tries again; one task must not keep the others from being looked at.
      say(
        `The task ${dead.taskId} of ${owner}, which is dead, is not recovered: ${messageOf(error)}`,
      );
    }
  }
}

async function recoverTask(recovery: Recovery, dead: DeadClaim, owner: string): Promise<void> {
  const { listFolder, claimer, say } = recovery;
  let commit: string | undefined;
  const decide = async (task: ClaudeCodeTask): Promise<TaskChange> => {
    commit = await arrivedAs(recovery, task);
    if (commit === undefined) return mark({ run: undefined });
    const done = mark({ run: undefined, lastFailure: undefined });
    return (now) => ({ ...done(now), status: "completed" });
  };
  if ((await recoverClaim(listFolder, claimer, dead, decide)) === "lost") return;
  say(
    commit === undefined
      ? `${dead.taskId} is back on the list: ${owner} has died`
      : `${dead.taskId} is completed: ${owner} has died after it had merged it as ${commit.slice(0, 12)}`,
  );
}

/** Where the work of the claim's run is in the target. */
export async function arrivedAs(
  { repository, target, stop }: Pick<Recovery, "repository" | "target" | "stop">,
  { metadata }: ClaudeCodeTask,
): Promise<string | undefined> {
  const saga = metadata?.["saga"];
  const run: unknown = typeof saga === "object" && saga !== null ? Reflect.get(saga, "run") : "";
  if (typeof run !== "string" || run === "") return undefined;
  return commitOfRun(repository.git, await readTarget(repository, target, stop), run);
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
    await endLeftovers(killed);
    await closeRuns(store, killed, now());
    if (folder === undefined) return;
    const commit = await readTarget(repository, target, recovery.stop);
    const { branch } = target;
    const base = { branch, target: branch, commit, ref: commit, copies: [commit], warnings: [] };
    const exclude = [...settings.worktree.copy, ...settings.worktree.link];
    const onKept = ({ ref }: { ref: string }): void => say(`${worker} has left work: ${ref}`);
    const asked = { repository, storyId: worker, base, exclude, onKept };
    await keepFound(asked, repository.git.at(folder), "its worker has died");
  } finally {
    lease.release();
  }
}
