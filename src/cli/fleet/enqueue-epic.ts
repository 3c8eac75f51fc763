// Puts the stories of an epic into the fleet's queue. What is not in the remote's base does not exist for other machines, so
// it is refused.

import { SagaError } from "../../errors.ts";
import type { Jobs } from "../../fleet/engine/jobs.ts";
import { planEpic } from "../../fleet/backlog/plan-epic.ts";
import { gitError } from "../../machine/programs/git.ts";
import type { Repository } from "../../repo/repository.ts";
import { followBase } from "../../repo/sharing/follow-base.ts";
import type { SharedEpic } from "../../repo/sharing/shared-epics.ts";
import type { Context } from "../../context.ts";

interface EpicQueueing extends Pick<Context, "store" | "repository"> {
  readonly jobs: Jobs;
  readonly root: string;
}

export interface EnqueuedEpic {
  /** Stories that were put into the queue now. */
  readonly queued: readonly string[];
  /** All stories of the epic that are not merged. */
  readonly open: readonly string[];
}

export async function enqueueEpic(
  { store, repository, jobs, root }: EpicQueueing,
  { epicId, merge }: SharedEpic,
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
  const { stories } = await store.overview(new Set(epic.children.map(({ id }) => id)));
  const found = new Map(
    [...stories].map(([id, { state, record }]) => [id, { state, story: record.story }] as const),
  );
  const planned = planEpic(epic, found, { root, commit, merge });
  await requirePushed(repository, { commit, branch }, [
    `.saga/epics/${epicId}/epic.json`,
    ...planned.map(({ story }) => `.saga/stories/${story}/story.json`),
  ]);
  return { queued: await jobs.enqueue(planned), open: planned.map(({ story }) => story) };
}

async function requirePushed(
  { git, remote }: Repository,
  { commit, branch }: { readonly commit: string; readonly branch: string },
  files: readonly string[],
): Promise<void> {
  const found = await git.ask(["ls-tree", "-z", "--name-only", commit, "--", ...files]);
  const known = new Set(found.split("\0"));
  const missing = files.filter((file) => !known.has(file));
  if (missing.length === 0) return;
  throw new SagaError(
    "not-ready",
    `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not in ${branch} at ${remote?.name ?? "the remote"}.`,
    { hint: "Other machines read stories from there: commit them, and `git push`." },
  );
}
