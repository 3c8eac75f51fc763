// Commits on a story's branch: one when it starts, one for each completed task, one for what there is
// of a task that is split, one for what is left at the end of a run. Trailers say whose they are, so
// that a crash costs at most one task.

import { SagaError } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { addAll } from "../stage-files.ts";
import { storyFolder } from "../worktree/bring-story.ts";
import { askAsCommitter, oneLine } from "../committer.ts";
import { commitOf } from "../refs.ts";

export interface Commit {
  readonly commit: string;
  /** What could not be added, in git's words. */
  readonly addError: string | undefined;
}

interface InStory {
  /** At the story's worktree. */
  readonly git: Git;
  readonly storyId: string;
}

export interface TaskCommit extends InStory {
  readonly task: { readonly id: string; readonly subject: string };
  /** Paths from the top folder that are never committed. */
  readonly exclude: readonly string[];
}

/** Everything in the worktree, also when that is nothing: the commit is the mark of the task. */
export async function commitTask({ git, storyId, task, exclude }: TaskCommit): Promise<Commit> {
  await requireBranch(git, storyId);
  const addError = await addAll(git, exclude);
  const trailers = [`Saga-Story: ${storyId}`, `Saga-Task: ${task.id}`];
  const commit = await commitStaged(git, {
    subject: oneLine(task.subject) || task.id,
    trailers,
    options: ["--allow-empty"],
  });
  return { commit, addError };
}

/**
 * What there is of a task that was stopped before it was done. The trailer is another one: it is no
 * completed task. Nothing when no file but Saga's own has changed.
 */
export async function commitPart({
  git,
  storyId,
  task,
  exclude,
}: TaskCommit): Promise<Commit | undefined> {
  await requireBranch(git, storyId);
  const own = [":(top,exclude).saga", ...exclude.map((path) => `:(top,exclude,literal)${path}`)];
  const changed = ["status", "--porcelain", "-z", "--", ":(top)", ...own];
  if ((await git.ask(changed)) === "") return undefined;
  const addError = await addAll(git, exclude);
  const commit = await commitStaged(git, {
    subject: `${oneLine(task.subject) || task.id} (a part)`,
    trailers: [`Saga-Story: ${storyId}`, `Saga-Task-Part: ${task.id}`],
    // What could not be added may have been all there was.
    options: ["--allow-empty"],
  });
  return { commit, addError };
}

/** The tasks of a story that have a commit between the base and HEAD, or another tip. */
export async function committedTasks(
  git: Git,
  baseCommit: string,
  storyId: string,
  tip = "HEAD",
): Promise<ReadonlySet<string>> {
  const commits = await commitsOf(git, `${baseCommit}..${tip}`, storyId, "Saga-Task");
  return new Set(commits.flatMap(({ tasks }) => tasks));
}

/** The commits between the base and HEAD that hold a part of this task, oldest first. */
export async function committedParts(
  git: Git,
  baseCommit: string,
  { storyId, taskId }: { readonly storyId: string; readonly taskId: string },
): Promise<readonly string[]> {
  const commits = await commitsOf(git, `${baseCommit}..HEAD`, storyId, "Saga-Task-Part");
  return commits.flatMap(({ commit, tasks }) => (tasks.includes(taskId) ? [commit] : []));
}

async function commitsOf(
  git: Git,
  range: string,
  storyId: string,
  key: string,
): Promise<readonly { readonly commit: string; readonly tasks: readonly string[] }[]> {
  const trailer = (name: string): string => `%(trailers:key=${name},valueonly,separator=%x00)`;
  const format = `--format=%H%x01${trailer("Saga-Story")}%x01${trailer(key)}%x02`;
  const text = await git.ask(["log", "--reverse", format, range, "--"]);
  return text.split("\u0002").flatMap((record) => {
    const [commit = "", stories = "", tasks = ""] = record.trim().split("\u0001");
    // Another story's commits may have come in by a merge, with tasks of the same names.
    if (!stories.split("\0").includes(storyId)) return [];
    return [{ commit, tasks: tasks.split("\0").filter((id) => id !== "") }];
  });
}

export interface StartCommit extends InStory {
  readonly title: string;
  readonly baseCommit: string;
  /** Tasks that were done before the branch began: they need no commit of their own. */
  readonly completed?: readonly string[] | undefined;
}

/** The story's own folder, as the first commit of its branch. Nothing when there is one already. */
export async function commitStart({
  git,
  storyId,
  title,
  baseCommit,
  completed = [],
}: StartCommit): Promise<Commit | undefined> {
  await requireBranch(git, storyId);
  if ((await git.ask(["rev-list", "--max-count=1", `${baseCommit}..HEAD`, "--"])) !== "") {
    return undefined;
  }
  const paths = await stageStory(git, storyId);
  const commit = await commitStaged(git, {
    subject: `Start story: ${oneLine(title) || storyId}`,
    trailers: [`Saga-Story: ${storyId}`, ...completed.map((id) => `Saga-Task: ${id}`)],
    // Not what someone else may have staged.
    options: ["--allow-empty", "--only"],
    paths,
  });
  return { commit, addError: undefined };
}

export interface RestCommit extends InStory {
  /** Whether the story ends with it. */
  readonly isDone?: boolean | undefined;
  readonly exclude: readonly string[];
}

/**
 * What no task has taken. When the story is done, all of it; else only the story's own folder, status
 * and journal: half a change is not committed, it stays where it is. Nothing when there is nothing.
 */
export async function commitRest({
  git,
  storyId,
  isDone = false,
  exclude,
}: RestCommit): Promise<Commit | undefined> {
  await requireBranch(git, storyId);
  // Git commits no part of a merge: the story's own files go with the merge, when it is resolved.
  if (!isDone && (await commitOf(git, "MERGE_HEAD")) !== undefined) return undefined;
  const addError = isDone ? await addAll(git, exclude) : undefined;
  const paths = isDone ? [] : await stageStory(git, storyId);
  if (!isDone && paths.length === 0) return undefined;
  const changed = ["diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none"];
  if ((await git.attempt([...changed, "--", ...paths])).isOk) return undefined;
  const commit = await commitStaged(git, {
    subject: isDone ? `Complete ${storyId}` : `Update the state of ${storyId}`,
    trailers: [`Saga-Story: ${storyId}`],
    // Not what someone else may have staged.
    options: isDone ? ["--allow-empty"] : ["--only"],
    paths,
  });
  return { commit, addError };
}

/** Its pathspec; none when the project keeps `.saga` out of git: to name it would be an error. */
async function stageStory(git: Git, storyId: string): Promise<string[]> {
  const folder = `:(top,literal)${storyFolder(storyId)}`;
  const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "--", folder];
  if ((await git.ask(listed)) === "") return [];
  await git.ask(["add", "--all", "--sparse", "--", folder]);
  return [folder];
}

/** An agent may have switched elsewhere: then a commit would be on no branch, or on another's. */
export async function requireBranch(git: Git, storyId: string): Promise<void> {
  const head = await git.attempt(["symbolic-ref", "--quiet", "HEAD"]);
  const branch = storyBranch(storyId);
  if (head.stdout === `refs/heads/${branch}`) return;
  const where = head.isOk ? `on ${head.stdout.replace("refs/heads/", "")}` : "on no branch";
  throw new SagaError("not-ready", `The worktree ${git.folder} is ${where}, not on ${branch}.`, {
    hint: `Nothing was committed. Run \`git switch ${branch}\` there when its changes are safe.`,
  });
}

interface Message {
  readonly subject: string;
  readonly trailers: readonly string[];
  readonly options: readonly string[];
  readonly paths?: readonly string[];
}

export async function commitStaged(
  git: Git,
  { subject, trailers, options, paths = [] }: Message,
): Promise<string> {
  const command = ["commit", "--quiet", "--no-verify", "--cleanup=whitespace", "--file=-"];
  const message = `${subject}\n\n${trailers.join("\n")}\n`;
  await askAsCommitter(git, [...command, ...options, "--", ...paths], message);
  return git.ask(["rev-parse", "--verify", "HEAD"]);
}
