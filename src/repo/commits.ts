// Commits on a story's branch: one when it starts, one for each completed task, one for what is left
// at the end of a run. Trailers say whose they are, so that a crash costs at most one task.

import { SagaError } from "../errors.ts";
import type { Git } from "../machine/git.ts";
import { storyBranch } from "../story/names.ts";
import { addAll } from "./add.ts";
import { storyFolder } from "./checkout.ts";
import { askInAName, oneLine } from "./identity.ts";

export interface Commit {
  readonly commit: string;
  /** What could not be added, in git's words. */
  readonly missed: string | undefined;
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
  const missed = await addAll(git, exclude);
  const trailers = [`Saga-Story: ${storyId}`, `Saga-Task: ${task.id}`];
  const commit = await commitStaged(git, {
    subject: oneLine(task.subject) || task.id,
    trailers,
    options: ["--allow-empty"],
  });
  return { commit, missed };
}

/** The tasks of a story that have a commit between the base and HEAD. */
export async function committedTasks(
  git: Git,
  baseCommit: string,
  storyId: string,
): Promise<ReadonlySet<string>> {
  const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x00)`;
  const format = `--format=${trailer("Saga-Story")}%x01${trailer("Saga-Task")}%x02`;
  const text = await git.ask(["log", format, `${baseCommit}..HEAD`, "--"]);
  const ids = text.split("\u0002").flatMap((record) => {
    const [stories = "", tasks = ""] = record.trim().split("\u0001");
    // Another story's commits may have come in by a merge, with tasks of the same names.
    return stories.split("\0").includes(storyId) ? tasks.split("\0") : [];
  });
  return new Set(ids.filter((id) => id !== ""));
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
  const folder = `:(top,literal)${storyFolder(storyId)}`;
  const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "--", folder];
  // Nothing when the project keeps `.saga` out of git: naming it to `add` would then be an error.
  const paths = (await git.ask(listed)) === "" ? [] : [folder];
  if (paths.length > 0) await git.ask(["add", "--all", "--", ...paths]);
  const commit = await commitStaged(git, {
    subject: `Start ${oneLine(title) || storyId}`,
    trailers: [`Saga-Story: ${storyId}`, ...completed.map((id) => `Saga-Task: ${id}`)],
    // Not what someone else may have staged.
    options: ["--allow-empty", "--only"],
    paths,
  });
  return { commit, missed: undefined };
}

export interface RestCommit extends InStory {
  /** Whether the story ends with it. */
  readonly isDone?: boolean | undefined;
  readonly exclude: readonly string[];
}

/** What no task has taken: status, journal. Nothing when there is nothing. */
export async function commitRest({
  git,
  storyId,
  isDone = false,
  exclude,
}: RestCommit): Promise<Commit | undefined> {
  await requireBranch(git, storyId);
  const missed = await addAll(git, exclude);
  if ((await git.attempt(["diff", "--cached", "--quiet", "--no-ext-diff"])).isOk) return undefined;
  const trailers = [`Saga-Story: ${storyId}`];
  const subject = isDone ? `Complete ${storyId}` : `Update the state of ${storyId}`;
  const commit = await commitStaged(git, { subject, trailers, options: [] });
  return { commit, missed };
}

/** An agent may have switched elsewhere: then a commit would be on no branch, or on another's. */
async function requireBranch(git: Git, storyId: string): Promise<void> {
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

async function commitStaged(
  git: Git,
  { subject, trailers, options, paths = [] }: Message,
): Promise<string> {
  const command = ["commit", "--quiet", "--no-verify", "--cleanup=whitespace", "--file=-"];
  const message = `${subject}\n\n${trailers.join("\n")}\n`;
  await askInAName(git, [...command, ...options, "--", ...paths], message);
  return git.ask(["rev-parse", "--verify", "HEAD"]);
}
