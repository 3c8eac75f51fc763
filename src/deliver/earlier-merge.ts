// Finds out whether a story is already merged. Its own files may not show it: the project's copy is old until the person
// updates their checkout. The last run shows it; git shows the commit, and whether the target still has it.

import type { Context } from "../context.ts";
import { SagaError } from "../errors.ts";
import { findRepository, type Repository } from "../repo/repository.ts";
import { readDeliveries, type Delivery } from "../repo/records/delivery-record.ts";
import { commitOf } from "../repo/refs.ts";
import { whereMerged } from "../repo/story-range.ts";
import type { StoryView } from "../store/views/overview.ts";
import { storyBranch } from "../story/definition/names.ts";
import { isFromFuture } from "../story/state/run-id.ts";
import type { Run } from "../story/state/run.ts";

export interface EarlierMerge {
  readonly storyId: string;
  readonly into: string;
  readonly commit: string;
  /** The last commit of its branch. */
  readonly tip: string;
  readonly repository: Repository;
  /** The branch that it was merged into exists neither here nor at the remote. */
  readonly isTargetGone: boolean;
}

interface MergeQuery extends Pick<Context, "store" | "env" | "now"> {
  readonly onWarning?: ((sentence: string) => void) | undefined;
  /** For callers that check many stories. */
  readonly repository?: Repository | undefined;
}

/** Undefined if the story was not merged, or if its target no longer has it: then it can be merged again. */
export async function findEarlierMerge(
  place: MergeQuery,
  storyId: string,
): Promise<EarlierMerge | undefined> {
  const found = await readArrival(place, storyId);
  if (found?.where === "nowhere") place.onWarning?.(lostSentence(storyId, found.done.target));
  if (found === undefined || found.where === "nowhere" || found.hasNewCommits) return undefined;
  const { repository, done } = found;
  const isTargetGone = found.where === "gone";
  const { target: into, commit, tip } = done;
  return { storyId, into, commit, tip, repository, isTargetGone };
}

/** The target of a story whose last run merged it, if that target no longer has it. */
export async function findLostMerge(
  place: MergeQuery,
  view: StoryView,
): Promise<string | undefined> {
  const { state, lastRun, record } = view;
  if (state !== "completed" || lastRun.outcome !== "merged") return undefined;
  // If the person's checkout has it, the history was only rewritten.
  const own = await place.store.readStory(record.id);
  if (own.story.status === "completed") return undefined;
  const found = await readArrival(place, record.id);
  return found?.where === "nowhere" ? found.done.target : undefined;
}

interface Arrival {
  readonly repository: Repository;
  readonly done: Delivery;
  readonly where: Awaited<ReturnType<typeof whereMerged>>;
  /** A person has committed to its branch since, so there is more to merge. */
  readonly hasNewCommits: boolean;
}

async function readArrival(
  { store, env, now, repository: known }: MergeQuery,
  storyId: string,
): Promise<Arrival | undefined> {
  if (!wasMergedLast(await store.listRuns(storyId), now())) return undefined;
  const repository = known ?? (await findRepository(store.project, env));
  const { git } = repository;
  const { done } = await readDeliveries(git, storyId);
  if (done === undefined) return undefined;
  const tip = await commitOf(git, `refs/heads/${storyBranch(storyId)}`);
  const where = await whereMerged(repository, done);
  return { repository, done, where, hasNewCommits: tip !== undefined && tip !== done.tip };
}

/** `runs`: newest first. A merge counts even if a wrong clock dated it in the future: git tells whether it arrived. */
export function wasMergedLast(
  runs: readonly Pick<Run, "id" | "isAside" | "outcome" | "discardedAt">[],
  nowMs: number,
): boolean {
  const last = runs.find(
    ({ id, isAside, outcome }) => !isAside && (outcome === "merged" || !isFromFuture(id, nowMs)),
  );
  return last?.outcome === "merged" && last.discardedAt === undefined;
}

export const lostSentence = (storyId: string, into: string): string =>
  `${storyId} was merged into ${into}, but ${into} no longer contains it. Merge it again: \`saga merge ${storyId}\`.`;

export const mergedSentence = ({
  storyId,
  into,
  commit,
}: Pick<EarlierMerge, "storyId" | "into" | "commit">): string =>
  `${storyId} is already merged into ${into} (${commit.slice(0, 12)}).`;

/** The next run creates an epic's branch again, with its stories. */
export const targetGoneWarnings = ({ into, isTargetGone }: EarlierMerge): string[] =>
  isTargetGone
    ? [
        `${into} was deleted since then. An epic's branch is created again by the next run of one of its stories.`,
      ]
    : [];

export const alreadyMerged = (merged: EarlierMerge): SagaError =>
  new SagaError("not-ready", mergedSentence(merged), {
    hint: 'Create a new story for further changes: `saga new story <id> -d "…"`.',
  });
