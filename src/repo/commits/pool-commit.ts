// What an agent of the pool hands in: all that it changed since it began, as commits that name its task
// and its run. By both trailers together a merge is recognised after a kill: a worktree and its branch serve
// one task after the other, so where they are says nothing about a task.

import { answerOf, type Git } from "../../machine/programs/git.ts";
import { addAll } from "../stage-files.ts";
import { commitStaged, requireBranch } from "./commits.ts";
import { oneLine } from "../committer.ts";
import { isDirty } from "../worktree/place.ts";

export interface PoolWork {
  /** At the worktree. */
  readonly git: Git;
  readonly storyId: string;
  /** The commit that the work began on. */
  readonly start: string;
  /** Paths from the top folder that are never committed. */
  readonly exclude: readonly string[];
}

export interface CommittedTask {
  /** `<list>/<id>`. */
  readonly id: string;
  readonly subject: string;
  readonly runId: string;
}

/** Whether any file is different from when the work began, committed or not. */
export async function hasChanged({ git, start, exclude }: PoolWork): Promise<boolean> {
  if (await isDirty(git, exclude)) return true;
  const isSame = async (...args: string[]): Promise<boolean> =>
    (await answerOf(git, ["diff", "--quiet", "--no-ext-diff", ...args, "--"])).isOk;
  if (!(await isSame("--ignore-submodules=none", start, "HEAD"))) return true;
  // Below excluded paths what git knows is work, as when it is committed; so is another commit of a
  // submodule that asks not to be looked at. What is new to git was looked for above.
  return !(await isSame("--ignore-submodules=dirty", "--diff-filter=a", "HEAD"));
}

export type CommittedWork =
  /** `commit` is the last one, on the worker's branch. */
  | { readonly kind: "committed"; readonly commit: string }
  /** No file is different from when the work began: that is no work. */
  | { readonly kind: "nothing" }
  /** What could not be added, in git's words. Nothing was committed. */
  | { readonly kind: "missed"; readonly why: string };

/**
 * Everything in the worktree, as one commit on top of where the work began: commits that the agent made
 * itself become part of it, and what was mended leaves no trace of what it was. Only behind a merge, in
 * which the target came in, it is a commit more.
 */
export async function commitPoolWork(work: PoolWork, task: CommittedTask): Promise<CommittedWork> {
  const { git, storyId, start, exclude } = work;
  await requireBranch(git, storyId);
  const missed = await addAll(git, exclude);
  if (missed !== undefined) return { kind: "missed", why: missed };
  if ((await answerOf(git, [...STAGED, start, "--"])).isOk) return { kind: "nothing" };
  const staged = await answerOf(git, [...STAGED, "--"]);
  const isMarked = (await commitOfTask(git, `${start}..HEAD`, task)) !== undefined;
  if (isMarked && staged.isOk) {
    return { kind: "committed", commit: await git.ask(["rev-parse", "--verify", "HEAD"]) };
  }
  const merges = ["rev-list", "--merges", "--max-count=1", `${start}..HEAD`, "--"];
  const isBehindMerge = isMarked && (await git.ask(merges)) !== "";
  if (!isBehindMerge) await git.ask(["reset", "--quiet", "--soft", start]);
  const commit = await commitStaged(git, {
    subject: oneLine(task.subject) || task.id,
    trailers: [`Saga-Task: ${task.id}`, `Saga-Run: ${task.runId}`],
    // Git may have been told that what is different is nothing.
    options: ["--allow-empty"],
  });
  return { kind: "committed", commit };
}

const STAGED = ["diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none"];

/** The newest commit in a range, or below a tip, that one run made for one task. */
export async function commitOfTask(
  git: Git,
  range: string,
  { id, runId }: Pick<CommittedTask, "id" | "runId">,
): Promise<string | undefined> {
  const format = "--format=%H%x00%(trailers:key=Saga-Task,valueonly,separator=%x00)";
  // A run is of one task: its newest commit tells.
  const newest = ["log", "--max-count=1", format, `--grep=^Saga-Run: ${runId}$`, range, "--"];
  const [commit, ...tasks] = (await git.ask(newest)).split("\0");
  return tasks.includes(id) ? commit : undefined;
}
