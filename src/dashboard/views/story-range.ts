// Finds the commits of a story: from the start of its branch to its last commit. Fetches and changes nothing.

import type { Context } from "../../context.ts";
import type { Git } from "../../machine/programs/git.ts";
import { findBase, findRepository, type Repository } from "../../repo/repository.ts";
import { readDeliveries } from "../../repo/records/delivery-record.ts";
import { knownBase } from "../../repo/known-base.ts";
import { openForge } from "../../repo/open-forge.ts";
import { commitOf, isAncestor } from "../../repo/refs.ts";
import { epicBranch, storyBranch } from "../../story/definition/names.ts";
import { isDeliveredAsOne } from "../../story/settings/settings.ts";
import type { CommitCard } from "../protocol/details.ts";

export type GitContext = Pick<Context, "store" | "env" | "now">;

export interface StoryRange {
  readonly git: Git;
  readonly from: string;
  readonly to: string;
}

export interface RangedStory {
  readonly id: string;
  readonly branch: string | undefined;
  readonly epic: string | undefined;
}

/** Undefined if the story has no branch yet. */
export async function findRange(
  context: GitContext,
  { id, branch = storyBranch(id), epic }: RangedStory,
): Promise<StoryRange | undefined> {
  const repository = await findRepository(context.store.project, context.env);
  const { git } = repository;
  const { done } = await readDeliveries(git, id);
  const tip = (await commitOf(git, `refs/heads/${branch}`)) ?? done?.tip;
  if (tip === undefined) return undefined;
  // The target of a merged story contains it, so the merge base would be its tip: use the target before the merge.
  const base = done?.tip === tip ? done.onto : await baseOf(context, repository, id, epic);
  const common = (await git.attempt(["merge-base", base, tip])).stdout || base;
  const from = common === tip ? await beforeMerge(context, { git, base, tip, id }) : common;
  return { git, from: from ?? common, to: tip };
}

interface MergedStory {
  readonly git: Git;
  readonly base: string;
  readonly tip: string;
  readonly id: string;
}

/** The start of a story that its target contains without a delivery record: merged by hand or by the forge. */
async function beforeMerge(
  { store }: GitContext,
  { git, base, tip, id }: MergedStory,
): Promise<string | undefined> {
  const since = `${tip}..${base}`;
  // The merge is the oldest commit on the target's first-parent line that contains the story.
  const firstParents = (await git.ask(["rev-list", "--first-parent", since, "--"])).split("\n");
  const containing = new Set(
    (await git.ask(["rev-list", "--ancestry-path", since, "--"])).split("\n"),
  );
  const merge = firstParents.findLast((commit) => commit !== "" && containing.has(commit));
  const before = merge && (await commitOf(git, `${merge}^1`));
  if (before && !(await isAncestor(git, tip, before))) {
    return (await git.attempt(["merge-base", before, tip])).stdout || undefined;
  }
  // A fast-forward leaves no merge commit: only the first run recorded the start.
  const runs = await store.listRuns(id);
  const firstRun = runs.findLast((run) => run.start !== undefined && run.discardedAt === undefined);
  const first = firstRun?.start?.commit;
  if (first === undefined || !(await isAncestor(git, first, tip))) return undefined;
  return commitOf(git, `${first}^1`);
}

async function baseOf(
  { store, env, now }: GitContext,
  repository: Repository,
  storyId: string,
  epicId: string | undefined,
): Promise<string> {
  const settings = await store.settings();
  const epic = epicId === undefined ? undefined : (await store.readEpic(epicId)).epic;
  if (epic !== undefined && isDeliveredAsOne(epic, settings)) {
    const branch = epicBranch(epic.id);
    const remote = repository.remote && `refs/remotes/${repository.remote.name}/${branch}`;
    for (const ref of [...(remote ? [remote] : []), `refs/heads/${branch}`]) {
      const commit = await commitOf(repository.git, ref);
      if (commit !== undefined) return commit;
    }
  }
  const forge = openForge(repository, { settings, env, now });
  const setting = settings.git.base ?? (await knownBase(repository.git, forge, storyId));
  return (await findBase(repository, setting)).commit;
}

const MAX_COMMITS = 500;
const RECORD = "\u001e";
const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x2C)`;
const FORMAT = `--format=%H%x00%cI%x00%s%x00${trailer("Saga-Task")}%x00${trailer("Saga-Task-Part")}%x1e`;

/** Oldest first. */
export async function readCommits({ git, from, to }: StoryRange): Promise<CommitCard[]> {
  const limit = `--max-count=${MAX_COMMITS}`;
  const text = await git.ask(["log", limit, FORMAT, `${from}..${to}`, "--"]);
  const commits = text.split(RECORD).flatMap((record) => {
    const [commit = "", at = "", subject = "", task = "", part = ""] = record.trim().split("\0");
    return commit === "" ? [] : [{ commit, at, subject, task: task || part || undefined }];
  });
  return commits.toReversed();
}
