// The work of a pool agent on one task, as commits that name the task and the run. After a kill, a merge is recognised by
// both trailers together: a worktree and its branch are reused from task to task, so their state says nothing about a
// task.

import { answerOf, type Git } from "../../machine/programs/git.ts";
import { addAll } from "../stage-files.ts";
import { commitStaged, requireBranch } from "./commits.ts";
import { oneLine } from "../../text/one-line.ts";
import { isDirty } from "../worktree/place.ts";

export interface PoolWork {
  /** At the worktree. */
  readonly git: Git;
  readonly storyId: string;
  /** The commit that the work started from. */
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

/** Whether any file differs from the start of the work, committed or not. */
export async function hasChanged({ git, start, exclude }: PoolWork): Promise<boolean> {
  if (await isDirty(git, exclude)) return true;
  const isSame = async (...args: string[]): Promise<boolean> =>
    (await answerOf(git, ["diff", "--quiet", "--no-ext-diff", ...args, "--"])).isOk;
  if (!(await isSame("--ignore-submodules=none", start, "HEAD"))) return true;
  // Tracked files below excluded paths are work too, and so is a new commit of a submodule with `ignore` set.
  // Untracked files were checked above.
  return !(await isSame("--ignore-submodules=dirty", "--diff-filter=a", "HEAD"));
}

export type CommittedWork =
  /** `commit` is the last one, on the worker's branch. */
  | { readonly kind: "committed"; readonly commit: string }
  /** No file differs from the start of the work. */
  | { readonly kind: "nothing" }
  /** Git's error for a file that could not be added. Nothing was committed. */
  | { readonly kind: "add-failed"; readonly why: string };

/**
 * Commits everything in the worktree as one commit on top of the start. Commits that the agent made itself become part of
 * it, so that a fixed mistake leaves no trace. Only after a merge of the target is it an additional commit.
 */
export async function commitPoolWork(work: PoolWork, task: CommittedTask): Promise<CommittedWork> {
  const { git, storyId, start, exclude } = work;
  await requireBranch(git, storyId);
  const addError = await addAll(git, exclude);
  if (addError !== undefined) return { kind: "add-failed", why: addError };
  if ((await answerOf(git, [...STAGED, start, "--"])).isOk) return { kind: "nothing" };
  const staged = await answerOf(git, [...STAGED, "--"]);
  const isMarked = (await commitOfTask(git, `${start}..HEAD`, task)) !== undefined;
  if (isMarked && staged.isOk) {
    return { kind: "committed", commit: await git.ask(["rev-parse", "--verify", "HEAD"]) };
  }
  const merges = ["rev-list", "--merges", "--max-count=1", `${start}..HEAD`, "--"];
  const hasMerge = isMarked && (await git.ask(merges)) !== "";
  if (!hasMerge) await git.ask(["reset", "--quiet", "--soft", start]);
  const commit = await commitStaged(git, {
    subject: oneLine(task.subject) || task.id,
    trailers: [`Saga-Task: ${task.id}`, `Saga-Run: ${task.runId}`],
    // Submodule settings can make git see no difference.
    options: ["--allow-empty"],
  });
  return { kind: "committed", commit };
}

const STAGED = ["diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none"];

/** The newest commit in a range, or reachable from a tip, that one run made for one task. */
export async function commitOfTask(
  git: Git,
  range: string,
  { id, runId }: Pick<CommittedTask, "id" | "runId">,
): Promise<string | undefined> {
  const format = "--format=%H%x00%(trailers:key=Saga-Task,valueonly,separator=%x00)";
  // A run belongs to one task, so its newest commit is enough.
  const newest = ["log", "--max-count=1", format, `--grep=^Saga-Run: ${runId}$`, range, "--"];
  const [commit, ...tasks] = (await git.ask(newest)).split("\0");
  return tasks.includes(id) ? commit : undefined;
}
