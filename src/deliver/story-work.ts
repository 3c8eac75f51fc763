// A story's work in git: its branch, where that began, and the branch that it is merged into. Used to judge and deliver
// it.

import type { Context } from "../context.ts";
import { messageOf, SagaError } from "../errors.ts";
import {
  readinessOf,
  requirementsOf,
  type StoryReadiness,
  type StoryRequirements,
} from "../gate/readiness.ts";
import type { GateWork, Range } from "../gate/story-gate.ts";
import type { Git } from "../machine/programs/git.ts";
import { redactorFor } from "../machine/files/redact.ts";
import { commitRest } from "../repo/commits/commits.ts";
import { findRepository, type Base, type Repository } from "../repo/repository.ts";
import { restoreBranch } from "../repo/delivery/merged-branch.ts";
import { openForge, targetPlace } from "../repo/open-forge.ts";
import type { Target } from "../repo/delivery/target.ts";
import { lastCommitIn } from "../repo/reflog.ts";
import { commitOf } from "../repo/refs.ts";
import { readSituation } from "../repo/worktree/situation.ts";
import { findTarget, storyStart, type StoryQuery } from "../repo/story-range.ts";
import type { StoryRecord } from "../store/project/read.ts";
import { readReceipts } from "../store/runs/receipts.ts";
import { readPersonsVersions } from "../store/runs/person-edit.ts";
import type { Epic } from "../story/definition/epic.ts";
import { storyBranch } from "../story/definition/names.ts";
import { withoutSecrets, type Receipt } from "../story/receipts/receipt.ts";
import type { GateDefinition } from "../story/receipts/weakened-definition.ts";
import { restoreEpicBranch, epicBranchGone } from "./epic/target.ts";
import { findEarlierMerge, alreadyMerged } from "./earlier-merge.ts";

export interface DeliverContext extends Pick<Context, "store" | "env" | "now"> {
  /** If the caller has found it already. */
  readonly repository?: Repository | undefined;
  /** Progress for a waiting person. */
  readonly onStep?: ((about: string) => void) | undefined;
  readonly onWarning?: ((sentence: string) => void) | undefined;
  readonly stop?: AbortSignal | undefined;
}

export interface StoryWork extends Pick<Context, "store" | "settings" | "repository" | "forge"> {
  readonly context: DeliverContext;
  readonly record: StoryRecord;
  readonly epicId: string | undefined;
  readonly branch: string;
  readonly base: Base;
  readonly range: Range;
  /** The story as people wrote it. */
  readonly initial: readonly GateDefinition[];
  /** What must hold for it. */
  readonly required: StoryRequirements;
  /** At the story's worktree, while it has one. */
  readonly worktree: Git | undefined;
}

export async function findWork(context: DeliverContext, storyId: string): Promise<StoryWork> {
  const { store } = context;
  const merged = await findEarlierMerge(context, storyId);
  if (merged) throw alreadyMerged(merged);
  const record = await store.readStory(storyId);
  const settings = await store.settings();
  const repository = context.repository ?? (await findRepository(store.project, context.env));
  const branch = record.story.branch ?? storyBranch(storyId);
  const commit =
    (await commitOf(repository.git, `refs/heads/${branch}`)) ??
    (branch === storyBranch(storyId) ? await restoreBranch(repository, storyId) : undefined);
  if (commit === undefined) throw await noBranch(repository, storyId, branch);
  // Its record is not used: it shows a merged story as completed, even if the branch has new commits.
  const { epicId } = await store.viewStory(storyId);
  return workAt({ ...context, repository }, { record, settings, branch, commit, epicId });
}

interface KnownStory extends Pick<StoryWork, "record" | "settings" | "branch" | "epicId"> {
  /** The last commit of its branch. */
  readonly commit: string;
}

/** The work of a story that was read before, from its files here or from git. */
export async function workAt(
  context: DeliverContext & Pick<Context, "repository">,
  { record, settings, branch, commit, epicId }: KnownStory,
): Promise<StoryWork> {
  const { store, repository } = context;
  const storyId = record.id;
  const folder = worktreeOf(record);
  const forge = openForge(repository, { settings, env: context.env, now: context.now });
  const epic = epicId === undefined ? undefined : (await store.readEpic(epicId)).epic;
  const base = await targetOf(context, repository, { forge, settings, storyId, epic });
  const from = await storyStart(repository.git, { base, tip: commit });
  const versions = await readPersonsVersions(context, storyId);
  const range = { from, tip: commit, ...versions };
  const { initial, required } = await requirementsOf(repository.git, record, range);
  return {
    context,
    store,
    settings,
    repository,
    forge,
    record,
    epicId,
    branch,
    base,
    range: { from, commit },
    initial,
    required,
    worktree: folder === undefined ? undefined : repository.git.at(folder),
  };
}

/** The folder of the worktree that holds the story's files. */
export const worktreeOf = ({
  source,
  folder,
}: Pick<StoryRecord, "source" | "folder">): string | undefined =>
  source === "worktree" ? folder.slice(0, folder.lastIndexOf("/.saga/stories/")) : undefined;

/** The target that it goes into, which is also the name of its lane. */
export const laneOf = ({ repository, settings, forge, base }: StoryWork): Target => ({
  branch: base.target,
  place: targetPlace(repository, settings, forge),
});

/** The worktree's reflog still has the last commit of a deleted branch. */
async function noBranch(
  repository: Repository,
  storyId: string,
  branch: string,
): Promise<SagaError> {
  const { place, folder } = await readSituation(repository, storyId);
  const tip =
    place.kind === "worktree"
      ? await lastCommitIn(repository.git.at(folder), place.gitDir)
      : undefined;
  if (tip !== undefined) {
    return new SagaError("not-ready", `The branch ${branch} of ${storyId} was deleted.`, {
      hint: `Restore it: \`git update-ref refs/heads/${branch} ${tip}\`.`,
    });
  }
  return new SagaError(
    "not-ready",
    `${storyId} has no branch ${branch} yet: it was never started.`,
    {
      hint: `Start it: \`saga run ${storyId}\`.`,
    },
  );
}

/** An epic's branch that a person deleted is created again, with its stories. */
async function targetOf(
  { stop, onWarning }: DeliverContext,
  repository: Repository,
  query: StoryQuery & { readonly epic: Epic | undefined },
): Promise<Base> {
  const target = await findTarget(repository, query);
  if (target.isThere || query.epic === undefined) return target;
  const { settings, forge, epic } = query;
  const canRestart = epic.persistent;
  await restoreEpicBranch({ repository, forge, settings, stop, onWarning, canRestart }, epic.id);
  const restored = await findTarget(repository, query);
  if (restored.isThere) return restored;
  throw epicBranchGone(restored.target, query.storyId);
}

/** Thorough, so that a person sees all findings before overriding any. */
export const gateWorkOf = (work: StoryWork): GateWork => {
  const { repository, record, initial, required, settings, context } = work;
  return {
    repository,
    story: record.story,
    tasks: record.tasks,
    initial,
    weakened: required.weakened,
    settings,
    env: context.env,
    now: context.now,
    stop: context.stop,
    onStep: context.onStep,
    isThorough: true,
    mayReuse: settings.gate.reuseReceipts,
  };
};

/** Removes secrets from a receipt before it is recorded: output of checks and findings may quote them. */
export function redactorOf({ settings, store, context }: StoryWork): (receipt: Receipt) => Receipt {
  const redact = redactorFor(context.env, store.project, settings.worktree.copy);
  return (receipt) => withoutSecrets(receipt, redact);
}

/** What blocks the merge of the story's code as it is now. */
export const workReadiness = async (work: StoryWork): Promise<StoryReadiness> =>
  readinessOf(work.repository.git, {
    commit: work.range.commit,
    required: work.required,
    receipts: await receiptsOf(work),
  });

/** Without a worktree, the story's files are in the person's checkout, for them to commit. */
export async function commitState({ worktree, record }: StoryWork): Promise<void> {
  if (worktree) await commitRest({ git: worktree, storyId: record.story.id, exclude: [] });
}

/** The story's valid receipts. Invalid ones cause warnings. */
export async function receiptsOf({ context, record }: StoryWork): Promise<readonly Receipt[]> {
  const { receipts, warnings } = await readReceipts(context, record.story.id);
  for (const sentence of warnings) context.onWarning?.(sentence);
  return receipts;
}

/**
 * Marks the pull request of a story that goes back to its agent as a draft, so that it is not reviewed meanwhile. An
 * unreachable forge is only a warning: the story's next run tries again.
 */
export async function backToDraft({ forge, branch, context }: StoryWork): Promise<void> {
  try {
    const pull = await forge.find(branch);
    if (pull?.state === "open" && !pull.isDraft) await forge.markDraft(pull.number);
  } catch (error) {
    context.onWarning?.(`Its pull request is still marked as ready: ${messageOf(error)}`);
  }
}
