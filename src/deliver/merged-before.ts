// A story that is in its target already. Its own files may not say so: the project's copy is the person's,
// and older until they bring their checkout up to date. The last run says it, and git says as what.

import { SagaError } from "../errors.ts";
import type { Environment } from "../machine/environment.ts";
import { findRepository, type Repository } from "../repo/base.ts";
import { readDeliveries } from "../repo/deliveries.ts";
import { commitOf } from "../repo/refs.ts";
import type { Store } from "../store/store.ts";
import { storyBranch } from "../story/names.ts";
import { isAhead } from "../story/run.ts";

export interface MergedBefore {
  readonly storyId: string;
  readonly into: string;
  readonly commit: string;
  readonly repository: Repository;
}

interface Place {
  readonly store: Store;
  readonly env: Environment;
  readonly now: () => number;
}

export async function findMerged(
  { store, env, now }: Place,
  storyId: string,
): Promise<MergedBefore | undefined> {
  const last = (await store.listRuns(storyId)).find(({ id }) => !isAhead(id, now()));
  if (last?.outcome !== "merged" || last.discardedAt !== undefined) return undefined;
  const repository = await findRepository(store.project, env);
  const { done } = await readDeliveries(repository.git, storyId);
  if (done === undefined) return undefined;
  const tip = await commitOf(repository.git, `refs/heads/${storyBranch(storyId)}`);
  // Its branch may have gone on by hand: then there is more to bring.
  if (tip !== undefined && tip !== done.tip) return undefined;
  return { storyId, into: done.target, commit: done.commit, repository };
}

export const mergedSentence = ({
  storyId,
  into,
  commit,
}: Omit<MergedBefore, "repository">): string =>
  `${storyId} is merged already into ${into} as ${commit.slice(0, 12)}.`;

export const mergedAlready = (merged: MergedBefore): SagaError =>
  new SagaError("not-ready", `The story ${mergedSentence(merged)}`, {
    hint: "Create a new story for what is to be different.",
  });
