// An epic's branch as an entry of its lane: like a story, with the checks of all its stories.

import { findSecretsBetween } from "../../gate/diff-gate.ts";
import { endJudging } from "../../gate/end-leftover-checks.ts";
import type { LandingKind, LandingWork } from "../../landing/landing.ts";
import { redactorFor } from "../../machine/files/redact.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { settleMerged } from "../../repo/delivery/already-merged.ts";
import { commitOf } from "../../repo/refs.ts";
import { epicLease } from "../../store/leases/lease-names.ts";
import type { RenewedLease } from "../../store/leases/renew-lease.ts";
import { readReceipts } from "../../store/runs/receipts.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { epicBranch, epicDelivery } from "../../story/definition/names.ts";
import type { Entry } from "../../story/landing/entry.ts";
import { mergeReadiness, reasonsAgainst } from "../../story/receipts/merge-readiness.ts";
import { withoutSecrets, type Receipt } from "../../story/receipts/receipt.ts";
import { catchUp } from "../behind-remote.ts";
import type { EpicMergeResult } from "./merge.ts";
import { amendEpic, editableEpic } from "./epic-file.ts";
import { findEpicBranch, findEpicWork, requireStories, type EpicWork } from "./work.ts";
import type { DeliverContext } from "../story-work.ts";
import { attempt, markMerged } from "../merge-steps.ts";
import { takeLease } from "../take-lease.ts";

export const epicKind: LandingKind = async (context, entry) => {
  const epicId = entry.name;
  const lease = await takeLease(context, epicLease(epicId), epicId);
  try {
    await endJudging(context.store.project, epicDelivery(epicId));
    const work = await findEpicWork(context, epicId);
    await requireStories(work);
    const found = await findEpicBranch(work);
    if (found.kind === "merged") {
      const tip = found.commit;
      const commit = await settleMerged(work.repository, {
        storyId: epicDelivery(epicId),
        target: entry.lane.branch,
        tip,
        onto: work.base.commit,
      });
      const updateCheckouts = entry.updateCheckouts ?? work.settings.delivery.updateCheckout;
      const done = { tip, commit, wasThere: true, updateCheckouts, warnings: [] };
      const outcome = await close(work, done);
      await lease.release();
      return { kind: "settled", outcome };
    }
    return { kind: "ready", work: await landingWork(work, { entry, found, lease }) };
  } catch (error) {
    await lease.release();
    throw error;
  }
};

interface PreparedEpic {
  readonly entry: Entry;
  readonly found: Exclude<Awaited<ReturnType<typeof findEpicBranch>>, { kind: "merged" }>;
  readonly lease: RenewedLease;
}

async function landingWork(
  work: EpicWork,
  { entry, found, lease }: PreparedEpic,
): Promise<LandingWork> {
  const { context, epic, settings, repository } = work;
  const branch = epicBranch(epic.id);
  const warnings = [...found.warnings];
  const tipRef =
    found.target.place === "remote" && repository.remote
      ? `refs/remotes/${repository.remote.name}/${branch}`
      : `refs/heads/${branch}`;
  const tip = (await commitOf(repository.git, tipRef)) ?? found.commit;
  const checks = await checksOf(work);
  const redact = redactorFor(context.env, context.store.project, settings.worktree.copy);
  const into = entry.lane.branch;
  const storyIds = epic.children.map(({ id }) => id);
  const updateCheckouts = entry.updateCheckouts ?? settings.delivery.updateCheckout;
  let diff: Receipt | undefined;
  return {
    entry,
    branch,
    tip,
    onWarning: (sentence) => warnings.push(sentence),
    epicId: epic.id,
    editable: editableEpic(epic.id),
    amendment: amendEpic({
      repository,
      store: context.store,
      epicId: epic.id,
      storyIds,
      target: into,
    }),
    storyIds,
    // The commits of its stories must not change: records and people refer to them.
    style: "merge",
    checks,
    landsAlone: true,
    updateCheckouts,
    async judge({ onto, commit }) {
      diff = withoutSecrets(await findSecrets(work, { onto, commit }), redact);
      const { mergeBlockers } = await readiness(work, [diff]);
      if (mergeBlockers.length === 0) return undefined;
      const reason = mergeBlockers.map(({ message }) => message).join(" ");
      return { commit, reason, receipts: [diff], before: [] };
    },
    async whyNot(judged) {
      const own = judged.map((one) => withoutSecrets(one, redact));
      const { missing, mergeBlockers } = await readiness(
        work,
        [...(diff ? [diff] : []), ...own],
        checks,
      );
      return reasonsAgainst({ missing, mergeBlockers }).join(" ") || undefined;
    },
    isStillWanted: async () => !lease.lost.aborted,
    landed: (commit) => close(work, { tip, commit, wasThere: false, updateCheckouts, warnings }),
    conflicts: async ({ files, onto, base }) =>
      ({
        kind: "conflict",
        conflict: { files, onto, base },
        branch,
        into,
      }) satisfies EpicMergeResult,
    refused: async ({ commit, reason, receipts }) =>
      ({
        kind: "refused",
        commit,
        reason,
        receipts: receipts.map((one) => withoutSecrets(one, redact)),
      }) satisfies EpicMergeResult,
    checkedOut: async (busy) => ({ kind: "checked-out", into, ...busy }) satisfies EpicMergeResult,
    moved: async (why) => ({ kind: "moved", rounds: 0, why }) satisfies EpicMergeResult,
    release: async () => lease.release(),
  };
}

async function checksOf({ context: { store }, epic }: EpicWork): Promise<string[]> {
  const stories = await Promise.all(epic.children.map(({ id }) => store.readStory(id)));
  return [...new Set(stories.flatMap(({ story }) => story.checks))];
}

/** Only secrets: the rules on size and files were applied to each story, and would not fit their sum. */
async function findSecrets(
  { context: { now }, settings, repository: { git } }: EpicWork,
  { onto, commit }: { readonly onto: string; readonly commit: string },
): Promise<Receipt> {
  const startedAt = performance.now();
  const findings = await findSecretsBetween({
    git,
    from: onto,
    to: commit,
    settings: settings.gate,
  });
  return {
    at: new Date(now()).toISOString(),
    gate: "diff",
    tree: await codeTree(git, commit),
    isPassed: findings.length === 0,
    ms: Math.round(performance.now() - startedAt),
    findings: [...findings],
  };
}

async function readiness(
  { context, epic }: EpicWork,
  receipts: readonly Receipt[],
  checks: readonly string[] = [],
) {
  const [first] = receipts;
  const held = first ? [...receipts, await storyOverrides(context, epic, first)] : receipts;
  return mergeReadiness(held, { checks, needsTesting: false, needsReview: false, weakened: [] });
}

/** Findings that a person overrode for a story are overridden for the epic too. */
async function storyOverrides(
  context: DeliverContext,
  epic: Epic,
  { at, tree }: Receipt,
): Promise<Receipt> {
  const stories: (readonly Receipt[])[] = [];
  for (const { id } of epic.children) stories.push((await readReceipts(context, id)).receipts);
  const objections = stories.flatMap(overriddenIn);
  const overridden = { rules: [], objections, why: "", who: "" };
  return { at, gate: "person", tree, isPassed: true, ms: 0, findings: [], overridden };
}

/** Only a person's last decision on a story counts: what was sent back is not overridden any more. */
export function overriddenIn(receipts: readonly Receipt[]): readonly string[] {
  const decision = receipts.findLast(({ gate }) => gate === "person");
  return decision?.isPassed ? (decision.overridden?.objections ?? []) : [];
}

interface MergedEpic {
  readonly tip: string;
  readonly commit: string;
  readonly wasThere: boolean;
  readonly updateCheckouts: boolean;
  readonly warnings: string[];
}

/** Records the merge everywhere. It is done by now, so a failure here is only a warning. */
async function close(
  { context, epic, repository, forge, target }: EpicWork,
  { tip, commit, wasThere, updateCheckouts, warnings }: MergedEpic,
): Promise<EpicMergeResult> {
  await attempt(warnings, () => markMerged(forge, epicBranch(epic.id), commit));
  await attempt(warnings, () => context.store.noteEpic(epic.id, { merged: tip }));
  await attempt(warnings, () => context.store.writeEpicsSnapshot());
  const into = target.branch;
  let pull: string | undefined;
  await attempt(warnings, async () => {
    pull = await catchUp({
      repository,
      id: epic.id,
      into,
      commit,
      tip,
      storyIds: epic.children.map(({ id }) => id),
      epicId: epic.id,
      updateCheckouts,
      onWarning: (sentence) => warnings.push(sentence),
    });
  });
  return { kind: "merged", commit, into, wasThere, worktree: undefined, pull, warnings };
}
