// Merges a finished story into its target, one merge at a time. The gate comes first, and the target only moves to a
// verified commit. Every step can be repeated.

import { SagaError } from "../errors.ts";
import { judgeChecks, judgeDiffOf, type Range } from "../gate/story-gate.ts";
import { fetchBase, findBase } from "../repo/repository.ts";
import type { Conflict } from "../repo/delivery/describe-conflict.ts";
import {
  deliver,
  type DeliveryResult,
  type CommitParts,
  type Verification,
} from "../repo/delivery/deliver.ts";
import { commitRest } from "../repo/commits/commits.ts";
import { storyFolder } from "../repo/worktree/bring-story.ts";
import { canPush } from "../repo/open-forge.ts";
import { isAncestor } from "../repo/refs.ts";
import { joinCommits, storyStart } from "../repo/story-range.ts";
import { whyNotMovable, type BusyCheckout, type Target } from "../repo/delivery/target.ts";
import { storyLease } from "../store/leases/lease-names.ts";
import { requireId } from "../story/definition/names.ts";
import { acceptCommand } from "../story/receipts/override.ts";
import type { Receipt } from "../story/receipts/receipt.ts";

import { finishMerge, mergedAgain } from "./after-merge.ts";
import { handToAgent, type ConflictHandover } from "./conflict.ts";
import { amendEpic, editableEpic } from "./epic-file.ts";
import { requireFinished } from "./finished.ts";
import { stepText, verificationOf } from "./merge-steps.ts";
import { withMergeLeases } from "./merge-turn.ts";
import { findEarlierMerge } from "./earlier-merge.ts";
import {
  findWork,
  gateWorkOf,
  workReadiness,
  redactorOf,
  type DeliverContext,
  type StoryWork,
} from "./story-work.ts";

export interface MergeOptions {
  /** Whether a clean checkout of the target may be updated. By default the setting decides. */
  readonly updateCheckouts?: boolean | undefined;
  /** Returns before any check runs if a checkout may not be updated, so that the caller can ask the person first. */
  readonly asksFirst?: boolean | undefined;
}

export type MergeResult =
  | {
      readonly kind: "merged";
      readonly commit: string;
      readonly into: string;
      /** Merged by an earlier call. */
      readonly wasThere: boolean;
      readonly worktree: string | undefined;
      /** The command that updates the local branch after a merge at the remote. */
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
      // Read under the lease: before, a worker or another merge may have changed the story.
      const before = await findEarlierMerge(context, storyId);
      if (before) return mergedAgain(context, before, options);
      return mergeInTurn(await findCommittedWork(context, storyId), options);
    },
  );

/** An edit of the story's files in its worktree is merged with it. */
async function findCommittedWork(context: DeliverContext, storyId: string): Promise<StoryWork> {
  const work = await findWork(context, storyId);
  if (work.worktree === undefined) return work;
  const look = ["status", "--porcelain", "--untracked-files=all", "--"];
  const folder = `:(top,literal)${storyFolder(storyId)}`;
  if ((await work.worktree.ask([...look, folder])) === "") return work;
  await commitRest({ git: work.worktree, storyId, exclude: [] });
  return findWork(context, storyId);
}

/** The checkout that a merge of this story would have to update. Undefined if there is none, or if it is merged. */
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

const targetOf = ({ repository, settings, forge, base }: StoryWork): Target => ({
  branch: base.target,
  place: canPush(repository, settings, forge) ? "remote" : "here",
});

async function mergeInTurn(work: StoryWork, options: MergeOptions): Promise<MergeResult> {
  const { repository, branch, context, settings, forge, epicId } = work;
  const updateCheckouts = options.updateCheckouts ?? settings.delivery.updateCheckout;
  const accepted = await requireReady(work);
  const target = targetOf(work);
  const busy = await whyNotMovable(repository, target, { updateCheckouts });
  // Before the checks: they may take long, and would have to run again.
  if (busy && (options.asksFirst || !busy.isUpdatable)) {
    return { kind: "checked-out", into: target.branch, commit: undefined, ...busy };
  }
  const warnings: string[] = [];
  // GitHub shows a pull request as merged only if its own commits arrive.
  const style = forge.kind === "github" ? "merge" : "rebase";
  const delivered = await deliver({
    repository,
    branch,
    target,
    updateCheckouts,
    start: work.range.from,
    epicId,
    ...(epicId && {
      editable: editableEpic(epicId),
      amendment: amendEpic({
        repository,
        store: work.store,
        epicId,
        storyIds: [work.record.id],
        target: target.branch,
      }),
    }),
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
  const { commit } = delivered;
  return finishMerge(work, { commit, into: target.branch, updateCheckouts, warnings });
}

/** Tester, reviewer and person saw the branch as it was when the merge started. */
const movedOn = (branch: string): string =>
  `${branch} has new commits since the merge started, which have not passed the gate.`;

/** Throws unless the story's own code is ready to merge. Returns a person's approval, if there is one. */
async function requireReady(work: StoryWork): Promise<Receipt | undefined> {
  const { story } = work.record;
  requireFinished(work, { what: `merge ${story.id}`, hint: await questionHint(work) });
  const { receipts, missing, objections } = await workReadiness(work);
  // Findings first: checks may be missing only because of them.
  if (objections.length > 0) {
    const said = objections.map(({ rule, message }) => `${rule}: ${message}`).join("\n  ");
    throw new SagaError("not-ready", `Cannot merge ${story.id}: its gate refused it:\n  ${said}`, {
      hint: `Send it back with feedback: \`saga send-back ${story.id} "…"\`. Or accept it anyway, with a reason: \`${acceptCommand(story.id, objections)}\`.`,
    });
  }
  if (missing.length > 0) {
    throw new SagaError(
      "not-ready",
      `Cannot merge ${story.id}: its gate has not run on this code (${missing.join(", ")}).`,
      {
        hint: `Run the gate: \`saga run ${story.id}\`. Or run it and approve the story: \`saga accept ${story.id}\`.`,
      },
    );
  }
  return receipts.findLast(({ gate }) => gate === "person");
}

/** Its open question, if that is why the story is unfinished. */
async function questionHint({ store, record }: StoryWork): Promise<string | undefined> {
  if (record.tasks.every(({ status }) => status === "completed")) return undefined;
  const { id } = record.story;
  const [question] = (await store.readJournal(id)).open;
  return (
    question &&
    `Its agent asks: ${question.title} Answer and continue: \`saga resolve ${id} "…" --run\`.`
  );
}

/**
 * The commit to compare the result with: the target. If the story started from a remote branch that the local target
 * lacks commits of, those are joined with it, because they are not the story's work.
 */
async function judgedFrom(
  { repository, base, range, record, context }: StoryWork,
  { place }: Target,
  { tip, onto }: CommitParts,
): Promise<string> {
  const { git } = repository;
  if (place === "remote" || (await isAncestor(git, range.from, onto))) return onto;
  // Agents can change the tracking refs, so the remote itself is asked, if it is reachable.
  await fetchBase(repository, base.target, record.story.id, context.stop);
  const { commit, copies } = await findBase(repository, base.target);
  return joinCommits(git, onto, await storyStart(git, { base: { commit, copies }, tip }));
}

/** Runs the gate again on the merge result. */
async function verify(
  work: StoryWork,
  accepted: Receipt | undefined,
  {
    folder,
    commit,
    judged,
  }: { readonly folder: string; readonly commit: string; readonly judged: Range },
): Promise<Verification> {
  // After an overridden check, the remaining checks must run too.
  const gate = { ...gateWorkOf(work), isThorough: accepted?.overridden !== undefined };
  const diff = await judgeDiffOf(gate, judged);
  const checked = await judgeChecks(gate, { commit }, folder);
  // Overrides refer to the recorded, redacted receipts.
  const receipts = [diff, ...checked].map(redactorOf(work));
  const decision = accepted && { ...accepted, tree: diff.tree };
  return verificationOf(receipts, decision, work.required);
}
