// Commits on a story's branch: one when it starts, one for each completed task, one for the part of a task that was
// done before it was split, one for the rest at the end of a run. Trailers name the story and task, so that a crash
// costs at most one task.

import { SagaError } from "../../errors.ts";
import { answerOf, type Git } from "../../machine/programs/git.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { isUnchanged } from "../diff/working-files.ts";
import { addAll } from "../stage-files.ts";
import { storyFolder } from "../worktree/bring-story.ts";
import { oneLine } from "../../text/one-line.ts";
import { askAsCommitter } from "../committer.ts";
import { knownTasks, noteTasks } from "./task-trailers.ts";
import { headRef, requireGitDir } from "../../machine/programs/head.ts";
import { commitOf, requireHead } from "../refs.ts";
import { inProgress } from "../worktree/place.ts";

export interface Commit {
  readonly commit: string;
  /** Git's error for files that could not be added. */
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

/** Commits everything in the worktree. The commit marks the task as completed, so it may be empty. */
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
 * Commits the part of a task that was done before it was split. It has another trailer, because the task is not
 * completed. Undefined when only Saga's own files have changed.
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
    // Git may have been unable to add the only changed file.
    options: ["--allow-empty"],
  });
  return { commit, addError };
}

/** The tasks of a story that have a commit between the base and the tip. */
export async function committedTasks(
  git: Git,
  baseCommit: string,
  storyId: string,
  tip = "HEAD",
): Promise<ReadonlySet<string>> {
  const commit = await commitOf(git, tip);
  const query = commit === undefined ? undefined : { storyId, from: baseCommit, tip: commit };
  const known = query && (await knownTasks(git, query));
  if (known !== undefined) return known;
  const range = `${baseCommit}..${commit ?? tip}`;
  const commits = await commitsOf(git, range, storyId, "Saga-Task");
  const tasks = new Set(commits.flatMap(({ tasks: named }) => named));
  return query === undefined ? tasks : noteTasks(query, tasks);
}

/** The commits between the base and HEAD with a part of this task, oldest first. */
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
    // A merge may have brought commits of another story that has tasks with the same names.
    if (!stories.split("\0").includes(storyId)) return [];
    return [{ commit, tasks: tasks.split("\0").filter((id) => id !== "") }];
  });
}

export interface StartCommit extends InStory {
  readonly title: string;
  readonly baseCommit: string;
  /** Tasks that were completed before the branch existed; this commit counts as theirs. */
  readonly completed?: readonly string[] | undefined;
}

/** Commits the story's own folder as the first commit of its branch. Undefined if the branch has a commit already. */
export async function commitStart({
  git,
  storyId,
  title,
  baseCommit,
  completed = [],
}: StartCommit): Promise<Commit | undefined> {
  await requireBranch(git, storyId);
  const isNew =
    (await commitOf(git, "HEAD")) === baseCommit ||
    (await git.ask(["rev-list", "--max-count=1", `${baseCommit}..HEAD`, "--"])) === "";
  if (!isNew) return undefined;
  const { paths } = await stageStory(git, storyId);
  const commit = await commitStaged(git, {
    subject: `Start story: ${oneLine(title) || storyId}`,
    trailers: [`Saga-Story: ${storyId}`, ...completed.map((id) => `Saga-Task: ${id}`)],
    // --only leaves out what another process may have staged.
    options: ["--allow-empty", "--only"],
    paths,
  });
  return { commit, addError: undefined };
}

export interface RestCommit extends InStory {
  /** Whether the story is complete. */
  readonly isDone?: boolean | undefined;
  readonly exclude: readonly string[];
}

/**
 * Commits what no task commit contains. For a completed story that is everything; otherwise only the story's own folder
 * with its status and journal, because unfinished changes stay uncommitted. Undefined when there is nothing to commit.
 */
export async function commitRest({
  git,
  storyId,
  isDone = false,
  exclude,
}: RestCommit): Promise<Commit | undefined> {
  await requireBranch(git, storyId);
  // Git cannot commit a part of a merge. The story's files are committed with the resolved merge.
  if (!isDone && inProgress(await requireGitDir(git)) === "merge") return undefined;
  if (isDone && (await isUnchanged(git))) return undefined;
  const addError = isDone ? await addAll(git, exclude) : undefined;
  const { paths, isChanged } = isDone ? EVERYTHING : await stageStory(git, storyId);
  if (!isDone && paths.length === 0) return undefined;
  const changed = ["diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none"];
  if (!isChanged && (await answerOf(git, [...changed, "--", ...paths])).isOk) return undefined;
  const commit = await commitStaged(git, {
    subject: isDone ? `Complete ${storyId}` : `Update the state of ${storyId}`,
    trailers: [`Saga-Story: ${storyId}`],
    options: isDone ? ["--allow-empty"] : ["--allow-empty", "--only"],
    paths,
  });
  return { commit, addError };
}

interface StagedPaths {
  /** Pathspecs; none for everything. */
  readonly paths: readonly string[];
  /** Something was staged just now. Otherwise it may have been staged before. */
  readonly isChanged: boolean;
}

const EVERYTHING: StagedPaths = { paths: [], isChanged: false };

/** Stages the story's folder. No paths if the project ignores `.saga`: git fails on it. */
async function stageStory(git: Git, storyId: string): Promise<StagedPaths> {
  const folder = `:(top,literal)${storyFolder(storyId)}`;
  const add = ["add", "--all", "--sparse", "--verbose", "--", folder];
  const added = await git.attempt(add);
  // Git names what it stages.
  if (added.isOk && added.stdout !== "") return { paths: [folder], isChanged: true };
  const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "--", folder];
  if ((await git.ask(listed)) === "") return { paths: [], isChanged: false };
  if (!added.isOk) await git.ask(add);
  return { paths: [folder], isChanged: false };
}

/** An agent may have switched to another branch or detached HEAD; a commit would land there. */
export async function requireBranch(git: Git, storyId: string): Promise<void> {
  const head = await headRef(git);
  const branch = storyBranch(storyId);
  if (head === `refs/heads/${branch}`) return;
  const where = head === undefined ? "on no branch" : `on ${head.replace("refs/heads/", "")}`;
  throw new SagaError("not-ready", `The worktree ${git.folder} is ${where}, not on ${branch}.`, {
    hint: `Nothing was committed. Commit or stash its changes, then run \`git switch ${branch}\` there.`,
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
  return requireHead(git);
}
