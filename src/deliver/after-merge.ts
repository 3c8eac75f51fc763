// What a merge leaves to do once the target has the story: pull request, run record, worktree, branch, archive, and the
// person's own copy of the target. The merge is done by then, so a failure is only a warning, and repeating the command
// does what is left.

import type { Context } from "../context.ts";
import { oneAtATime } from "../machine/processes/one-at-a-time.ts";
import { commitArchive } from "../repo/commits/commit-archive.ts";
import { removeMergedBranch, removeMergedRemoteBranch } from "../repo/delivery/merged-branch.ts";
import { removeWorktree } from "../repo/worktree/remove.ts";
import { findWorktree } from "../repo/worktree/situation.ts";
import type { Lease } from "../store/ownership/ownership.ts";
import { catchUp, type RemoteMerge } from "./behind-remote.ts";
import { checkAfterMerge } from "./early-warning/check-after-merge.ts";
import { targetGoneWarnings, type EarlierMerge } from "./earlier-merge.ts";
import type { MergeOptions, MergeResult } from "./merge.ts";
import { attempt, markMerged } from "./merge-steps.ts";
import type { DeliverContext, StoryWork } from "./story-work.ts";

/** Records the merge everywhere. */
export async function finishMerge(
  work: StoryWork,
  {
    commit,
    into,
    updateCheckouts,
    lease,
    warnings,
  }: Pick<RemoteMerge, "commit" | "into" | "updateCheckouts"> &
    Pick<Leftovers, "lease" | "warnings">,
): Promise<MergeResult> {
  const { store, record, repository, branch, settings, context, forge } = work;
  const { id } = record.story;
  await attempt(warnings, () => markMerged(forge, branch, commit));
  const reason = `Merged into ${into} as ${commit.slice(0, 12)}.`;
  const endedAt = new Date(context.now()).toISOString();
  (await store.startRun(id, { reason, endedAt, outcome: "merged" })).close();
  const landed = { storyId: id, into, commit };
  const worktree = await cleanUp(context, { ...landed, repository, settings, lease, warnings });
  const merge = { repository, id, into, commit, tip: work.range.commit, epicId: work.epicId };
  const pull = await catchUpOrWarn({ ...merge, updateCheckouts }, warnings);
  return { kind: "merged", commit, into, wasThere: false, worktree, pull, warnings };
}

/** The story is merged already; does what an earlier call may have left undone. */
export async function mergedAgain(
  context: DeliverContext,
  before: EarlierMerge,
  { lease, ...options }: MergeOptions & { readonly lease?: Lease | undefined },
): Promise<MergeResult> {
  const { storyId, into, commit, repository } = before;
  const settings = await context.store.settings();
  const warnings = targetGoneWarnings(before);
  // Its files may be gone, or in the archive.
  const view = await context.store.viewStory(storyId).catch(() => undefined);
  const worktree = await cleanUp(context, {
    storyId,
    into,
    commit,
    repository,
    settings,
    lease,
    warnings,
  });
  const updateCheckouts = options.updateCheckouts ?? settings.delivery.updateCheckout;
  const merge = { ...before, id: storyId, epicId: view?.epicId, updateCheckouts };
  const pull = await catchUpOrWarn(merge, warnings);
  return { kind: "merged", commit, into, wasThere: true, worktree, pull, warnings };
}

async function catchUpOrWarn(
  merge: Omit<RemoteMerge, "storyIds" | "onWarning">,
  warnings: string[],
): Promise<string | undefined> {
  let pull: string | undefined;
  await attempt(warnings, async () => {
    const onWarning = (sentence: string): void => void warnings.push(sentence);
    const act = () => catchUp({ ...merge, storyIds: [merge.id], onWarning });
    pull = await oneAtATime(merge.repository.commonDir, act);
  });
  return pull;
}

interface Leftovers extends Pick<Context, "repository" | "settings"> {
  readonly storyId: string;
  readonly into: string;
  readonly commit: string;
  /** Of the story, if this process holds it. */
  readonly lease: Lease | undefined;
  readonly warnings: string[];
}

/** Returns why the worktree was not removed; undefined if it was. */
async function cleanUp(
  context: DeliverContext,
  { storyId, into, commit, repository, settings, lease, warnings }: Leftovers,
): Promise<string | undefined> {
  const { store } = context;
  const { copy, link } = settings.worktree;
  const removal = findWorktree(repository, storyId)
    ? await removeWorktree({
        repository,
        storyId,
        isLeased: false,
        baseCommit: commit,
        exclude: [...copy, ...link],
      })
    : { removed: true as const };
  if (removal.removed) await attempt(warnings, () => removeMergedBranch(repository, storyId));
  // Stories that landed together are cleaned up at the same time, but change the person's checkout one by one.
  await oneAtATime(repository.commonDir, async () => {
    if (settings.delivery.archive) {
      await attempt(warnings, async () => {
        await store.archive([storyId]);
        const done = await commitArchive(repository.git, [storyId], `Archive story ${storyId}`);
        if (done.kind === "left")
          warnings.push(`The story was archived, but not committed: ${done.why}.`);
      });
    }
    const at = { store, repository, now: context.now };
    await attempt(warnings, () => checkAfterMerge(at, { storyId, into, commit }));
    await attempt(warnings, () => store.writeEpicsSnapshot());
  });
  // Last, because the remote may be slow.
  const story = { ...context, repository, settings, storyId, lease, warnings };
  if (removal.removed) await attempt(warnings, () => removeMergedRemoteBranch(story));
  return removal.removed ? undefined : removal.why;
}
