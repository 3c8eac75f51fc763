// Finished work that could not be merged: its commit is noted in the task, and the next worker of the task merges it
// first. No agent is paid for the same work again.

import { commitOfTask } from "../../repo/commits/pool-commit.ts";
import { commitOf, isAncestor } from "../../repo/refs.ts";
import { findStart } from "../../repo/story-range.ts";
import type { PreparedTaskWork } from "../task/context.ts";

/** The commit to note; undefined if the work is not committed. */
export async function finishedCommit(work: PreparedTaskWork): Promise<string | undefined> {
  const { git, base, record, worker, task } = work;
  const ids = { id: `${worker.list}/${task.id}`, runId: record.run().id };
  const own = await commitOfTask(git, `${base.commit}..HEAD`, ids);
  return own === undefined ? undefined : commitOf(git, "HEAD");
}

/**
 * The commit, if the target has it by now: a person merged it by hand, or the answer of a remote that accepted it was
 * lost.
 */
export async function finishedAndArrived(work: PreparedTaskWork): Promise<string | undefined> {
  const { git, base } = work;
  const finished = await knownFinished(work);
  if (finished === undefined || !(await isAncestor(git, finished, base.commit))) return undefined;
  // After a conflict the last commit is a merge.
  return (await isOwn(work, ["--first-parent", "--max-count=2", finished])) ? finished : undefined;
}

/**
 * Checks the commit out in the worktree. Undefined if there is none, or if it was not made for this task: another
 * repository may share the list.
 */
export async function checkOutFinished(
  work: PreparedTaskWork,
): Promise<PreparedTaskWork | undefined> {
  const { git, base } = work;
  const finished = await knownFinished(work);
  if (finished === undefined) return undefined;
  if (!(await isOwn(work, [`${base.commit}..${finished}`]))) return undefined;
  const start = await findStart(git, { base, tip: finished });
  if (start === undefined) return undefined;
  await git.ask(["reset", "--quiet", "--hard", finished]);
  return { ...work, base: { ...base, commit: start } };
}

async function knownFinished({ git, task }: PreparedTaskWork): Promise<string | undefined> {
  const { finished } = task;
  if (finished === undefined || !isCommitId(finished)) return undefined;
  return (await commitOf(git, finished)) === finished ? finished : undefined;
}

/** Whether one of these commits was made for the task. */
async function isOwn(
  { git, worker, task }: PreparedTaskWork,
  commits: readonly string[],
): Promise<boolean> {
  const trailer = "--format=%(trailers:key=Saga-Task,valueonly,separator=%x00)";
  const tasks = await git.ask(["log", trailer, ...commits, "--"]);
  return namesTask(tasks, `${worker.list}/${task.id}`);
}

/** Others can write into the task's file: a name such as `main` would be merged as its work. */
export const isCommitId = (text: string): boolean => /^[0-9a-f]{40,64}$/.test(text);

/** `trailers`: a line for each commit, with the tasks that it names. */
export const namesTask = (trailers: string, task: string): boolean =>
  trailers.split(/[\0\n]/).includes(task);
