// Pushes a story's branch when a person asks for it, or again after a run failed to: pushes, updates the pull request,
// and clears the recorded failure.

import { messageOf, SagaError, messageWithHint } from "../errors.ts";
import { pushBranch } from "../gate/push-branch.ts";
import type { PullRequest } from "../machine/forge/forge.ts";
import { redactorFor } from "../machine/files/redact.ts";
import { fenceOwner, openFence, type PushFence } from "../repo/sharing/lease-ref.ts";
import { storyLease } from "../store/leases/lease-names.ts";
import { pullRequestText, pullRequestTitle } from "../story/prompts/pull-request-text.ts";
import type { Run } from "../story/state/run.ts";
import { takeLease } from "./take-lease.ts";
import {
  commitState,
  findWork,
  receiptsOf,
  workReadiness,
  type DeliverContext,
  type StoryWork,
} from "./story-work.ts";

export interface PushedStory {
  readonly remote: string;
  readonly branch: string;
  readonly pullRequest: string | undefined;
  readonly warnings: readonly string[];
}

/** `lease`: of the story. In a fleet, the push is refused if another machine has taken the story since. */
export async function pushStory(
  context: DeliverContext,
  storyId: string,
  lease: StoryLease,
): Promise<PushedStory> {
  const work = await findWork(context, storyId);
  const { repository, branch } = work;
  if (repository.remote === undefined) {
    throw new SagaError("not-ready", "Cannot push: this repository has no remote.", {
      hint: "Add one: `git remote add origin <address>`.",
    });
  }
  const warnings: string[] = [];
  const fence = await fenceOf(work, lease);
  await pushWork(work, fence);
  const pull = await updatePullRequest(work, fence).catch((error: unknown) => {
    warnings.push(
      `The branch was pushed, but the pull request could not be updated: ${messageOf(error)}`,
    );
    return undefined;
  });
  await clearPushErrors(work);
  return { remote: repository.remote.name, branch, pullRequest: pull?.ref, warnings };
}

/** Tries a failed push again before a merge. A second failure is only a warning. */
export async function retryPush(context: DeliverContext, storyId: string): Promise<void> {
  const { lastRun } = await context.store.viewStory(storyId);
  if (lastRun.pushError === undefined) return;
  try {
    const lease = await takeLease(context, storyLease(storyId), storyId);
    try {
      await pushStory(context, storyId, lease);
    } finally {
      await lease.release();
    }
  } catch (error) {
    context.onWarning?.(`The branch of ${storyId} could not be pushed: ${messageWithHint(error)}`);
  }
}

type StoryLease = Parameters<typeof fenceOwner>[1];

/** Undefined outside of a fleet. */
export async function fenceOf(
  { repository, record }: StoryWork,
  lease: StoryLease,
): Promise<PushFence | undefined> {
  const owner = fenceOwner(record.story.id, lease);
  return owner && openFence(repository, owner);
}

export async function pushWork(work: StoryWork, fence: PushFence | undefined): Promise<void> {
  const { repository, record, branch, base, settings, context, store } = work;
  await pushBranch({
    repository,
    storyId: record.story.id,
    branch,
    base,
    settings,
    receipts: await receiptsOf(work),
    redact: redactorFor(context.env, store.project, settings.worktree.copy),
    stop: context.stop,
    fence,
  });
}

/** Finds or opens the pull request, and marks it ready for review if the story is ready to merge. */
async function updatePullRequest(
  work: StoryWork,
  fence: PushFence | undefined,
): Promise<PullRequest> {
  const { forge, branch, base, record, store } = work;
  const { story, tasks } = record;
  const { receipts, isReady: isGateReady } = await workReadiness(work);
  const body = pullRequestText(story, tasks, receipts);
  const title = pullRequestTitle(story.id);
  const pull = await forge.openDraft({ head: branch, base: base.target, title, body });
  if (story.pr !== pull.ref) {
    await store.updateStory(story.id, (fields) => ({ ...fields, pr: pull.ref }));
    await commitState(work);
    await pushWork(work, fence);
  }
  const isReady = isGateReady && tasks.every(({ status }) => status === "completed");
  return isReady && pull.isDraft ? forge.markReady(pull.number) : pull;
}

/** The push has succeeded now, so the runs are recorded as if it had then. */
async function clearPushErrors({ store, record }: StoryWork): Promise<void> {
  for (const run of await store.listRuns(record.story.id)) {
    const change = withoutPushError(run);
    if (change === undefined) continue;
    const log = await store.openRun(run);
    log.update(change);
    log.close();
  }
}

/** A run that ended only because of the push is done now. Undefined for a run that pushed. */
export const withoutPushError = ({
  pushError,
  outcome,
}: Pick<Run, "pushError" | "outcome">): Partial<Run> | undefined =>
  pushError === undefined
    ? undefined
    : {
        pushError: undefined,
        ...(outcome === "push-failed" && { outcome: "done", reason: PUSHED_LATER }),
      };

const PUSHED_LATER = "All tasks are completed. The branch was pushed later.";
