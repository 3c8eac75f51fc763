// The commits that are a story's work: from where its branch began to its last commit. Nothing is fetched,
// and nothing is changed.

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

/** Nothing when nothing was done for it yet. */
export async function findRange(
  context: GitContext,
  { id, branch = storyBranch(id), epic }: RangedStory,
): Promise<StoryRange | undefined> {
  const repository = await findRepository(context.store.project, context.env);
  const { git } = repository;
  const { done } = await readDeliveries(git, id);
  const tip = (await commitOf(git, `refs/heads/${branch}`)) ?? done?.tip;
  if (tip === undefined) return undefined;
  // Once it is merged, its target holds it: then it began where the target was before.
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

/** Where a story began that its target holds without a record of Saga's: it was merged by hand, or by the forge. */
async function beforeMerge(
  { store }: GitContext,
  { git, base, tip, id }: MergedStory,
): Promise<string | undefined> {
  const since = `${tip}..${base}`;
  // The first on the target's own line that has it is the merge; before that, the target did not have it.
  const line = (await git.ask(["rev-list", "--first-parent", since, "--"])).split("\n");
  const having = new Set((await git.ask(["rev-list", "--ancestry-path", since, "--"])).split("\n"));
  const merge = line.findLast((commit) => commit !== "" && having.has(commit));
  const before = merge && (await commitOf(git, `${merge}^1`));
  if (before && !(await isAncestor(git, tip, before))) {
    return (await git.attempt(["merge-base", before, tip])).stdout || undefined;
  }
  // The branch was moved forward to it: only the run that began it tells where that was.
  const runs = await store.listRuns(id);
  const begun = runs.findLast((run) => run.start !== undefined && run.discardedAt === undefined);
  const first = begun?.start?.commit;
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

/** More than anyone looks through. */
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
