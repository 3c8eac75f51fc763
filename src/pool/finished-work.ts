// Work that was done, and that only the target would not take: its commit is noted in the task, and brought
// in first by whoever takes the task up again: no agent is paid for what is there.

import { commitOfRun } from "../repo/handed-in.ts";
import { commitOf } from "../repo/refs.ts";
import type { PlacedTask } from "./task-work.ts";

/** What to note; nothing as long as the work is not committed. */
export async function finishedCommit(work: PlacedTask): Promise<string | undefined> {
  const { git, base, record } = work;
  const own = await commitOfRun(git, `${base.commit}..HEAD`, record.run().id);
  return own === undefined ? undefined : commitOf(git, "HEAD");
}

/**
 * The worktree with that commit in it, as if it had been worked on there. Nothing when there is none, or
 * when it is not what it should be: another repository may share the list.
 */
export async function takeUpFinished(work: PlacedTask): Promise<PlacedTask | undefined> {
  const { git, base, worker, task } = work;
  const { finished } = task;
  if (finished === undefined || !/^[0-9a-f]{40,64}$/.test(finished)) return undefined;
  if ((await commitOf(git, finished)) !== finished) return undefined;
  const trailer = "--format=%(trailers:key=Saga-Task,valueonly,separator=%x00)";
  const own = (await git.ask(["log", trailer, `${base.commit}..${finished}`, "--"])).split(
    /[\0\n]/,
  );
  if (!own.includes(`${worker.list}/${task.id}`)) return undefined;
  const { isOk, stdout: start } = await git.attempt(["merge-base", base.commit, finished]);
  if (!isOk) return undefined;
  await git.ask(["reset", "--quiet", "--hard", finished]);
  return { ...work, base: { ...base, commit: start } };
}
