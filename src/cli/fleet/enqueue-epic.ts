// Puts the stories of an epic into the fleet's queue. What is not in the remote's base does not exist for other machines, so
// it is refused.

import { SagaError } from "../../errors.ts";
import { isNewRun, missedMerges, newestJobs } from "../../fleet/backlog/epic-run.ts";
import { planEpic } from "../../fleet/backlog/plan-epic.ts";
import type { EpicBudgets } from "../../fleet/engine/epic-budgets.ts";
import type { Jobs } from "../../fleet/engine/jobs.ts";
import { gitError, type Git } from "../../machine/programs/git.ts";
import type { Repository } from "../../repo/repository.ts";
import { followBase } from "../../repo/sharing/follow-base.ts";
import type { SharedEpic } from "../../repo/sharing/shared-epics.ts";
import type { Store } from "../../store/store.ts";
import type { Context } from "../../context.ts";

interface EpicQueueing extends Pick<Context, "store" | "repository"> {
  readonly jobs: Jobs;
  readonly root: string;
  readonly epicBudgets: EpicBudgets;
}

export interface EnqueuedEpic {
  /** Stories that were put into the queue now. */
  readonly queued: readonly string[];
  /** All stories of the epic that are not merged. */
  readonly open: readonly string[];
}

/** `rebuilt`: from git, without a person's decision about the epic. Then what waits for a person keeps waiting. */
export async function enqueueEpic(
  { store, repository, jobs, root, epicBudgets }: EpicQueueing,
  { epicId, merge, budgetUsd }: SharedEpic,
  rebuilt?: { readonly discarded: ReadonlySet<string> },
): Promise<EnqueuedEpic> {
  const settings = await store.settings();
  const {
    shared: commit,
    branch,
    isCurrent,
    behind,
  } = await followBase(repository, settings.git.base);
  if (commit === undefined || !isCurrent) {
    throw gitError(behind ?? `${repository.remote?.name ?? "The remote"} has no branch ${branch}.`);
  }
  const { epic } = await store.readEpic(epicId);
  const children = new Set(epic.children.map(({ id }) => id));
  const { stories } = await store.overview(children);
  const found = new Map(
    [...stories].map(([id, { state, record }]) => [id, { state, story: record.story }] as const),
  );
  const planned = planEpic(epic, found, { root, commit, merge, discarded: rebuilt?.discarded });
  await requirePushed(repository, { commit, branch }, [
    `.saga/epics/${epicId}/epic.json`,
    ...planned.map(({ story }) => `.saga/stories/${story}/story.json`),
  ]);
  const known = newestJobs(await jobs.list(), children);
  const isDone = new Set(known.flatMap(({ story, state }) => (state === "done" ? [story] : [])));
  const isMerged = (story: string): boolean => found.get(story)?.state === "completed";
  for (const story of missedMerges(epic, known, isMerged)) await jobs.markMerged(story);
  // It passed its gate, and people merge it.
  const isForPeople = (story: string): boolean =>
    !merge && isDone.has(story) && found.get(story)?.state === "review";
  // Before a member can take a story: it asks for what is left.
  const before = rebuilt ? await costsHere(store, children) : {};
  const run = { epic: epicId, stories: [...children], budgetUsd, before };
  await epicBudgets.save(run, {
    isNewRun: rebuilt === undefined && isNewRun(known),
  });
  const queued = await jobs.enqueue(
    planned.filter(({ story }) => !isForPeople(story)),
    { parkedStay: rebuilt !== undefined },
  );
  return { queued, open: planned.map(({ story }) => story) };
}

/** What runs have cost that a new database does not know yet. */
async function costsHere(
  store: Store,
  stories: ReadonlySet<string>,
): Promise<Readonly<Record<string, number>>> {
  const costs: Record<string, number> = {};
  for (const story of stories) {
    // A story whose records cannot be read is not started.
    const runs = await store.listRuns(story).catch(() => []);
    for (const { id, costUsd } of runs) costs[id] = costUsd;
  }
  return costs;
}

/** Of these stories, those that a commit does not have. */
export async function removedStories(
  git: Git,
  commit: string,
  stories: readonly string[],
): Promise<readonly string[]> {
  const fileOf = (story: string): string => `.saga/stories/${story}/story.json`;
  const missing = new Set(await missingIn(git, commit, stories.map(fileOf)));
  return stories.filter((story) => missing.has(fileOf(story)));
}

async function missingIn(
  git: Git,
  commit: string,
  files: readonly string[],
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const found = await git.ask(["ls-tree", "-z", "--name-only", commit, "--", ...files]);
  const known = new Set(found.split("\0"));
  return files.filter((file) => !known.has(file));
}

async function requirePushed(
  { git, remote }: Repository,
  { commit, branch }: { readonly commit: string; readonly branch: string },
  files: readonly string[],
): Promise<void> {
  const missing = await missingIn(git, commit, files);
  if (missing.length === 0) return;
  throw new SagaError(
    "not-ready",
    `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not in ${branch} at ${remote?.name ?? "the remote"}.`,
    { hint: "Other machines read stories from there: commit them, and `git push`." },
  );
}
