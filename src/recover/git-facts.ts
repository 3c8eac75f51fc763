// Facts from git about a story's worktree and branch. A problem becomes a sentence, never an error: one story must not
// hide the others.

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { messageOf } from "../errors.ts";
import type { Environment } from "../machine/processes/environment.ts";
import { findBase, type Base, type Repository } from "../repo/repository.ts";
import { openForge } from "../repo/open-forge.ts";
import { findTarget, type StoryEpic } from "../repo/story-range.ts";
import { committedTasks } from "../repo/commits/commits.ts";
import { doneRef } from "../repo/records/delivery-record.ts";
import { readSnapshots } from "../repo/snapshots/snapshot.ts";
import type { PresentWorktree } from "../repo/worktree/place.ts";
import { lastCommitIn } from "../repo/reflog.ts";
import { commitOf } from "../repo/refs.ts";
import { readSituation, type LostWorktree, type Situation } from "../repo/worktree/situation.ts";
import { providedPaths } from "../repo/worktree/provision.ts";
import { storyBranch, storyOfBranch, storyWorktree } from "../story/definition/names.ts";
import type { Settings } from "../story/settings/settings.ts";

export interface WorktreeFacts {
  /** Relative to the project. */
  readonly path: string;
  readonly isThere: boolean;
  /** Uncommitted files, with untracked ones. Undefined when git cannot tell. */
  readonly changedFiles: number | undefined;
}

export interface BranchFacts {
  readonly name: string;
  readonly commit: string | undefined;
  /** The number of commits that the target does not have. */
  readonly commits: number | undefined;
  readonly target: string | undefined;
}

export interface GitFacts {
  readonly worktree: WorktreeFacts;
  readonly branch: BranchFacts;
  /** Tasks with a commit on the branch. */
  readonly committedTasks: ReadonlySet<string>;
  readonly snapshots: readonly number[];
  /** The last commit of a worktree whose branch is gone. */
  readonly lostTip: string | undefined;
  readonly problems: readonly string[];
}

export interface RecoverableStory {
  readonly storyId: string;
  readonly epic: StoryEpic | undefined;
}

interface TargetAnswer {
  readonly target?: Base | undefined;
  readonly problem?: string | undefined;
}

/** Facts that all stories share, read once. */
export interface SharedGitFacts {
  readonly project: string;
  readonly repository: Repository | undefined;
  /** Undefined when it cannot be found; the problems say why. */
  readonly targetOf: (story: RecoverableStory) => Promise<TargetAnswer>;
  /** The commit of every story's branch, by story. */
  readonly branches: ReadonlyMap<string, string>;
  readonly snapshots: ReadonlyMap<string, readonly number[]>;
  readonly exclude: readonly string[];
  readonly problems: readonly string[];
}

/** `settings` are undefined when they cannot be read. */
export async function readSharedGitFacts(
  project: string,
  repository: Repository | undefined,
  { settings, env }: { readonly settings: Settings | undefined; readonly env: Environment },
): Promise<SharedGitFacts> {
  const problems: string[] = [];
  const tried = async <T>(fallback: T, read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      problems.push(messageOf(error));
      return fallback;
    }
  };
  const exclude = settings ? providedPaths(settings.worktree) : [];
  const nothing = { project, repository, exclude };
  if (repository === undefined) {
    const targetOf = async (): Promise<TargetAnswer> => ({});
    return { ...nothing, targetOf, branches: new Map(), snapshots: new Map(), problems };
  }
  const readBase = onceEach((setting: string | undefined) => findBase(repository, setting));
  await tried(undefined, () => readBase(settings?.git.base));
  const targetOf = async (story: RecoverableStory): Promise<TargetAnswer> => {
    try {
      if (settings === undefined) return { target: await readBase(undefined) };
      const forge = openForge(repository, { settings, env, now: Date.now });
      return { target: await findTarget(repository, { ...story, settings, forge }, readBase) };
    } catch (error) {
      const problem = messageOf(error);
      return { problem: problems.includes(problem) ? undefined : problem };
    }
  };
  const branches = await tried(new Map(), () => readBranches(repository));
  const snapshots = await tried(new Map(), () => snapshotNumbers(repository));
  return { ...nothing, targetOf, branches, snapshots, problems };
}

/** Most stories have the same base. */
function onceEach<A, R>(read: (argument: A) => Promise<R>): (argument: A) => Promise<R> {
  const answers = new Map<A, Promise<R>>();
  return (argument) => {
    const known = answers.get(argument) ?? read(argument);
    answers.set(argument, known);
    return known;
  };
}

async function readBranches({ git }: Repository): Promise<Map<string, string>> {
  const format = "--format=%(refname:lstrip=2) %(objectname)";
  const lines = (await git.ask(["for-each-ref", format, "refs/heads/story/"])).split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [name = "", commit = ""] = line.split(" ");
      const id = storyOfBranch(name);
      return id === undefined ? [] : [[id, commit] as const];
    }),
  );
}

async function snapshotNumbers({ git }: Repository): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (const { storyId, number } of await readSnapshots(git)) {
    found.set(storyId, [...(found.get(storyId) ?? []), number]);
  }
  return found;
}

/** The number of commits on a story's branch that are not merged. Undefined when that is unknown. */
async function commitsAhead(
  { repository, branches }: SharedGitFacts,
  storyId: string,
  target: Base | undefined,
): Promise<number | undefined> {
  const tip = branches.get(storyId);
  if (repository === undefined || target === undefined || tip === undefined) return undefined;
  // Rebased commits are found through the record of their delivery.
  const delivered = await commitOf(repository.git, doneRef(storyId));
  const merged = [target.commit, ...target.copies, ...(delivered === undefined ? [] : [delivered])];
  const counted = await repository.git.attempt(["rev-list", "--count", tip, "--not", ...merged]);
  return counted.isOk ? Number(counted.stdout) : undefined;
}

export async function readGitFacts(
  ground: SharedGitFacts,
  story: RecoverableStory,
): Promise<GitFacts> {
  const { repository, branches, project } = ground;
  const { storyId } = story;
  const { target, problem } = await ground.targetOf(story);
  const problems = problem === undefined ? [] : [problem];
  const name = storyBranch(storyId);
  const commit = branches.get(storyId);
  const usual = storyWorktree(storyId);
  const unknown: WorktreeFacts = {
    path: usual,
    isThere: existsSync(join(project, usual, ".git")),
    changedFiles: undefined,
  };
  const facts: Omit<GitFacts, "worktree" | "lostTip" | "problems"> = {
    branch: {
      name,
      commit,
      commits: await commitsAhead(ground, storyId, target),
      target: target?.target,
    },
    committedTasks: await committedOn(ground, storyId, { from: target?.commit, tip: commit }),
    snapshots: ground.snapshots.get(storyId) ?? [],
  };
  if (repository === undefined)
    return { ...facts, worktree: unknown, lostTip: undefined, problems };
  try {
    const situation = await readSituation(repository, storyId);
    const { folder, place, lost } = situation;
    const isThere = place.kind === "worktree" || place.kind === "moved";
    const changedFiles = await countChanges(ground, situation, problems);
    problems.push(...placeProblems(situation), ...lost.map(lostProblem));
    const lostTip =
      place.kind === "worktree" && commit === undefined
        ? await lastCommitIn(repository.git.at(folder), place.gitDir)
        : undefined;
    if (isThere && commit === undefined) problems.push(goneBranch(name, lostTip));
    const worktree = { path: relative(project, folder), isThere, changedFiles };
    return { ...facts, worktree, lostTip, problems };
  } catch (error) {
    problems.push(messageOf(error));
    return { ...facts, worktree: unknown, lostTip: undefined, problems };
  }
}

async function committedOn(
  { repository }: SharedGitFacts,
  storyId: string,
  { from, tip }: { readonly from: string | undefined; readonly tip: string | undefined },
): Promise<ReadonlySet<string>> {
  if (repository === undefined || from === undefined || tip === undefined) return new Set();
  try {
    return await committedTasks(repository.git, from, storyId, tip);
  } catch {
    // Reported already: the commits could not be counted either.
    return new Set();
  }
}

/** Counts changed and untracked files. */
async function countChanges(
  { repository, exclude }: SharedGitFacts,
  { folder, place }: Situation,
  problems: string[],
): Promise<number | undefined> {
  if (repository === undefined || place.kind !== "worktree") return undefined;
  const look = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
  const without = exclude.map((path) => `:(top,exclude,literal)${path}`);
  const status = await repository.git.at(folder).attempt([...look, "--", ":(top)", ...without], {
    // Read-only: `git status` must not refresh the index.
    env: { GIT_OPTIONAL_LOCKS: "0" },
  });
  if (status.isOk) return status.stdout.split("\0").filter((line) => line !== "").length;
  problems.push(`Git cannot read ${folder}: ${status.stderr}`);
  return undefined;
}

export function placeProblems({
  place,
  folder,
  branch,
}: Pick<Situation, "place" | "folder" | "branch">): string[] {
  switch (place.kind) {
    case "worktree":
      return worktreeProblems(place, folder, branch);
    case "occupied":
      return [`${folder} ${place.how}.`];
    case "moved":
      return [`Git does not find ${folder}: the project was moved. The next run fixes that.`];
    case "incomplete":
      return [`${folder} is incomplete: its creation was interrupted.`];
    case "free":
      return [];
  }
}

const worktreeProblems = (place: PresentWorktree, folder: string, branch: string): string[] => [
  ...(place.branch === branch
    ? []
    : [`${folder} is ${place.branch ? `on ${place.branch}` : "on no branch"}, not on ${branch}.`]),
  ...(place.inProgress ? [`A ${place.inProgress} is in progress in ${folder}.`] : []),
  ...(place.isUnfinished ? [`${folder} is incomplete: its checkout was interrupted.`] : []),
];

const lostProblem = ({ folder, lock }: LostWorktree): string =>
  lock
    ? `Git lists the worktree ${folder}, which is locked (${lock}) and missing: its disk may not be mounted.`
    : `Git still lists the worktree ${folder}, which is missing: it was removed by hand.`;

const goneBranch = (branch: string, tip: string | undefined): string =>
  tip === undefined
    ? `The branch ${branch} is gone.`
    : `The branch ${branch} is gone; its last commit was ${tip.slice(0, 10)}.`;
