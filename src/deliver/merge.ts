// Brings a finished story into its target: gates first, one at a time, and the target is only ever moved
// to what was verified. Whatever happens, it can be repeated.

import type { Context } from "../context.ts";
import { messageOf, SagaError } from "../errors.ts";
import { judgeChecks, judgeDiffOf, type Range } from "../gate/story-gate.ts";
import { fetchBase, findBase } from "../repo/repository.ts";
import { codeTree } from "../repo/code-tree.ts";
import { commitArchive } from "../repo/commits/commit-archive.ts";
import type { Conflict } from "../repo/delivery/describe-conflict.ts";
import {
  deliver,
  type DeliveryResult,
  type CommitParts,
  type Verification,
} from "../repo/delivery/deliver.ts";
import { canPush } from "../repo/open-forge.ts";
import { removeMergedBranch } from "../repo/delivery/merged-branch.ts";
import { isAncestor } from "../repo/refs.ts";
import { removeWorktree } from "../repo/worktree/remove.ts";
import { findWorktree } from "../repo/worktree/situation.ts";
import { joinCommits, storyStart } from "../repo/story-start.ts";
import { whyNotMovable, type BusyCheckout, type Target } from "../repo/delivery/target.ts";
import { storyLease } from "../store/leases/lease-names.ts";
import { requireId } from "../story/definition/names.ts";
import { acceptCommand } from "../story/receipts/override.ts";
import { receiptsFor } from "../story/receipts/latest-receipts.ts";
import type { Receipt } from "../story/receipts/receipt.ts";
import { mergeReadiness } from "../story/receipts/merge-readiness.ts";
import { handToAgent, type ConflictHandover } from "./conflict.ts";
import { amendEpicStatus } from "./epic-status.ts";
import { behindRemote } from "./behind-remote.ts";
import { requireWorktree } from "./lost-worktree.ts";
import { stepText } from "./merge-steps.ts";
import { withMergeLeases } from "./merge-turn.ts";
import { findEarlierMerge, targetGoneWarnings, type EarlierMerge } from "./earlier-merge.ts";
import {
  findWork,
  gateWorkOf,
  receiptsOf,
  redactorOf,
  type DeliverContext,
  type StoryWork,
} from "./story-work.ts";

export interface MergeOptions {
  /** Whether a clean checkout of the target may be brought up to date with it; else the settings say. */
  readonly updateCheckouts?: boolean | undefined;
  /** Answers without running any check when the checkout may not be updated: for callers that ask first. */
  readonly asksFirst?: boolean | undefined;
}

export type MergeResult =
  | {
      readonly kind: "merged";
      readonly commit: string;
      readonly into: string;
      /** By an earlier call. */
      readonly wasThere: boolean;
      readonly worktree: string | undefined;
      /** The command that brings the branch here up to date, where it was merged at the remote. */
      readonly pull?: string | undefined;
      readonly warnings: readonly string[];
    }
  | ({ readonly kind: "conflict"; readonly conflict: Conflict } & ConflictHandover)
  | CheckedOut
  | Exclude<DeliveryResult, { kind: "merged" | "conflict" | "checked-out" }>;

export interface CheckedOut extends BusyCheckout {
  readonly kind: "checked-out";
  readonly into: string;
  /** The verified commit; undefined when no check was run. */
  readonly commit: string | undefined;
}

export const mergeStory = (
  context: DeliverContext,
  storyId: string,
  options: MergeOptions,
): Promise<MergeResult> =>
  withMergeLeases<MergeResult>(
    context,
    { lease: storyLease(requireId("story", storyId)), judged: storyId },
    async () => {
      // Read now: until here a worker may have gone on with it, or another merge.
      const before = await findEarlierMerge(context, storyId);
      if (before) return mergedAgain(context, before);
      return mergeInTurn(await findWork(context, storyId), options);
    },
  );

/** What a merge of this story would have to update: undefined when it is free, or merged already. */
export async function findCheckout(
  context: DeliverContext,
  storyId: string,
): Promise<(BusyCheckout & { readonly into: string }) | undefined> {
  if (await findEarlierMerge(context, storyId)) return undefined;
  const work = await findWork(context, storyId);
  const target = targetOf(work);
  const busy = await whyNotMovable(work.repository, target, { updateCheckouts: false });
  return busy && { ...busy, into: target.branch };
}

function targetOf({ repository, settings, forge, base }: StoryWork): Target {
  const isRemote = repository.remote !== undefined && canPush(repository, settings, forge);
  return { branch: base.target, place: isRemote ? "remote" : "here" };
}

async function mergeInTurn(work: StoryWork, options: MergeOptions): Promise<MergeResult> {
  const { repository, branch, context, settings, forge, epicId } = work;
  const updateCheckouts = options.updateCheckouts ?? settings.delivery.updateCheckout;
  const accepted = await requireReady(work);
  const target = targetOf(work);
  const busy = await whyNotMovable(repository, target, { updateCheckouts });
  // Its checks may take long, and would have to be run again.
  if (busy && (options.asksFirst || !busy.isUpdatable)) {
    return { kind: "checked-out", into: target.branch, commit: undefined, ...busy };
  }
  const warnings: string[] = [];
  // A pull request counts as merged there when its own commits have arrived.
  const style = forge.kind === "github" ? "merge" : "rebase";
  const delivered = await deliver({
    repository,
    branch,
    target,
    updateCheckouts,
    start: work.range.from,
    epicId,
    amendment: epicId ? amendEpicStatus({ repository, epicId, target: target.branch }) : undefined,
    style,
    stop: context.stop,
    onWarning: (sentence) => warnings.push(sentence),
    onStep: (step) => context.onStep?.(stepText(step, { branch: target.branch, style })),
    verify: async (folder, commit, parts) => {
      if (parts.tip !== work.range.commit) return { isPassed: false, reason: movedOn(branch) };
      const from = await judgedFrom(work, target, parts);
      return verify(work, accepted, { folder, commit, judged: { from, commit: parts.work } });
    },
  });
  if (delivered.kind === "conflict") {
    const { kind: _, ...conflict } = delivered;
    return { kind: "conflict", conflict, ...(await handToAgent(work, conflict)) };
  }
  if (delivered.kind === "checked-out") return { ...delivered, into: target.branch };
  if (delivered.kind !== "merged") return delivered;
  return finishMerge(work, delivered.commit, target, warnings);
}

/** What was tested, reviewed and accepted is what the branch was when the merge began. */
const movedOn = (branch: string): string =>
  `${branch} has gone on while it was being merged, and nobody has judged that yet.`;

/** Everything that must hold for the story's own code; answers a person's word on it, if there is one. */
async function requireReady(work: StoryWork): Promise<Receipt | undefined> {
  const { repository, range, required } = work;
  const { story, tasks } = work.record;
  requireWorktree(work);
  const left = tasks.filter(({ status }) => status !== "completed").length;
  if (left > 0 || tasks.length === 0) {
    const [question] = (await work.store.readJournal(story.id)).open;
    throw new SagaError("not-ready", `The story ${story.id} is not finished.`, {
      hint: question
        ? `A question is open: ${question.title} Answer it with \`saga resolve ${story.id} "…"\`, then \`saga run ${story.id}\`.`
        : `${left} of its ${tasks.length} tasks are left: \`saga run ${story.id}\`.`,
    });
  }
  const tree = await codeTree(repository.git, range.commit);
  const receipts = receiptsFor(await receiptsOf(work), tree);
  const { missing, objections } = mergeReadiness(receipts, required);
  // What was refused is the reason; checks behind it were not run because of it.
  if (objections.length > 0) {
    const said = objections.map(({ rule, message }) => `${rule}: ${message}`).join("\n  ");
    throw new SagaError("not-ready", `The story ${story.id} does not pass its gate:\n  ${said}`, {
      hint: `\`${acceptCommand(story.id, objections)}\` or \`saga send-back ${story.id} "…"\`.`,
    });
  }
  if (missing.length > 0) {
    throw new SagaError(
      "not-ready",
      `Cannot merge ${story.id}: it has not passed its checks yet (${missing.join(", ")}).`,
      {
        hint: `\`saga run ${story.id}\` runs its gate; \`saga accept ${story.id}\` runs it and accepts.`,
      },
    );
  }
  return receipts.findLast(({ gate }) => gate === "person");
}

/**
 * What is there without the story: the target as it is. A branch here may be behind the remote's, which
 * the story began from: what comes along from there is others' work, and not judged as its own.
 */
async function judgedFrom(
  { repository, base, range, record, context }: StoryWork,
  { place }: Target,
  { tip, onto }: CommitParts,
): Promise<string> {
  const { git } = repository;
  if (place === "remote" || (await isAncestor(git, range.from, onto))) return onto;
  // What is known of the remote lies where agents work: it is asked itself, if it can be.
  await fetchBase(repository, base.target, record.story.id, context.stop);
  const { commit, copies } = await findBase(repository, base.target);
  return joinCommits(git, onto, await storyStart(git, { base: { commit, copies }, tip }));
}

/** The same again on what will really be there: the story on top of the target as it is now. */
async function verify(
  work: StoryWork,
  accepted: Receipt | undefined,
  {
    folder,
    commit,
    judged,
  }: { readonly folder: string; readonly commit: string; readonly judged: Range },
): Promise<Verification> {
  // Behind a check that was set aside there may be others that were not.
  const gate = { ...gateWorkOf(work), isThorough: accepted?.overridden !== undefined };
  const diff = await judgeDiffOf(gate, judged);
  const checked = await judgeChecks(gate, { commit }, folder);
  // What was set aside is known by what was recorded of it.
  const receipts = [diff, ...checked].map(redactorOf(work));
  const held = accepted ? [...receipts, { ...accepted, tree: diff.tree }] : receipts;
  // Whether someone has looked at it was asked of the story's own code.
  const required = { ...work.required, needsReview: false, needsTesting: false };
  const { missing, objections } = mergeReadiness(held, required);
  if (missing.length === 0 && objections.length === 0) return { isPassed: true };
  const reason = [...objections.map(({ message }) => message), ...missing].join(" ");
  return { isPassed: false, reason, receipts };
}

/** It is merged: what is left is to say so everywhere, and none of that can undo it. */
async function finishMerge(
  work: StoryWork,
  commit: string,
  target: Target,
  warnings: string[],
): Promise<MergeResult> {
  const { store, record, repository, branch, settings, context, forge } = work;
  const { id } = record.story;
  await attempt(warnings, async () => {
    const pull = await forge.find(branch);
    if (pull?.state === "open") await forge.markMerged(pull.number, commit);
  });
  const reason = `Merged into ${target.branch} as ${commit.slice(0, 12)}.`;
  const endedAt = new Date(context.now()).toISOString();
  (await store.startRun(id, { reason, endedAt, outcome: "merged" })).close();
  const worktree = await cleanUp(context, { storyId: id, commit, repository, settings, warnings });
  const pull = await behindRemote(repository, target);
  return { kind: "merged", commit, into: target.branch, wasThere: false, worktree, pull, warnings };
}

/** Nothing is left to bring; what an earlier call did not come to is done now. */
async function mergedAgain(context: DeliverContext, before: EarlierMerge): Promise<MergeResult> {
  const { storyId, into, commit, repository } = before;
  const settings = await context.store.settings();
  const warnings = targetGoneWarnings(before);
  const worktree = await cleanUp(context, { storyId, commit, repository, settings, warnings });
  return { kind: "merged", commit, into, wasThere: true, worktree, warnings };
}

interface Leftovers extends Pick<Context, "repository" | "settings"> {
  readonly storyId: string;
  readonly commit: string;
  readonly warnings: string[];
}

/** Says why the worktree stays, if it does. */
async function cleanUp(
  { store }: DeliverContext,
  { storyId, commit, repository, settings, warnings }: Leftovers,
): Promise<string | undefined> {
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
  if (settings.delivery.archive) {
    await attempt(warnings, async () => {
      await store.archive([storyId]);
      const done = await commitArchive(repository.git, [storyId], `Archive story ${storyId}`);
      if (done.kind === "left") warnings.push(`The archived story is not committed: ${done.why}.`);
    });
  }
  await attempt(warnings, () => store.writeEpicsSnapshot());
  return removal.removed ? undefined : removal.why;
}

async function attempt(warnings: string[], act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    warnings.push(messageOf(error));
  }
}
