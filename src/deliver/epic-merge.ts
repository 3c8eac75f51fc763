// Merges an epic's branch into its target, like a story: combine outside of any checkout, run the checks of all its
// stories on the result, record it, and move the target from the commit that was read. It can be repeated after a kill.

import type { Context } from "../context.ts";
import { SagaError } from "../errors.ts";
import { findSecretsBetween } from "../gate/diff-gate.ts";
import { judgeChecks, type GateWork } from "../gate/story-gate.ts";
import { redactorFor } from "../machine/files/redact.ts";
import { fetchAndFindBase, findRepository, type Base } from "../repo/repository.ts";
import { codeTree } from "../repo/code-tree.ts";
import type { Conflict } from "../repo/delivery/describe-conflict.ts";
import { deliver, settleArrived, type Verification } from "../repo/delivery/deliver.ts";
import { ensureEpicBranch } from "../repo/delivery/epic-branch.ts";
import { canPush, openForge } from "../repo/open-forge.ts";
import { noteMergedEpics } from "../repo/delivery/merged-epics.ts";
import { commitOf } from "../repo/refs.ts";
import { whyNotMovable, type Target } from "../repo/delivery/target.ts";
import { epicLease } from "../store/leases/lease-names.ts";
import { readReceipts } from "../store/runs/receipts.ts";
import type { Epic } from "../story/definition/epic.ts";
import { epicBranch, epicDelivery, requireId } from "../story/definition/names.ts";
import { withoutSecrets, type Receipt } from "../story/receipts/receipt.ts";
import { isDeliveredAsOne } from "../story/settings/settings.ts";
import { amendEpic, editableEpic } from "./epic-file.ts";
import { catchUp } from "./behind-remote.ts";
import type { MergeResult, MergeOptions } from "./merge.ts";
import { attempt, markMerged, stepText, verificationOf } from "./merge-steps.ts";
import { withMergeLeases } from "./merge-turn.ts";
import type { DeliverContext } from "./story-work.ts";

export type EpicMergeResult =
  | Exclude<MergeResult, { kind: "conflict" }>
  | {
      readonly kind: "conflict";
      readonly conflict: Conflict;
      readonly branch: string;
      readonly into: string;
    };

interface EpicWork extends Pick<Context, "settings" | "repository" | "forge"> {
  readonly context: DeliverContext;
  readonly epic: Epic;
  readonly base: Base;
  readonly target: Target;
}

export const mergeEpic = (
  context: DeliverContext,
  epicId: string,
  options: MergeOptions,
): Promise<EpicMergeResult> =>
  withMergeLeases<EpicMergeResult>(
    context,
    { lease: epicLease(requireId("epic", epicId)), judged: epicDelivery(epicId) },
    async () => mergeInTurn(await findEpicWork(context, epicId), options),
  );

/** The checkout that a merge of this epic would have to update. Undefined if there is none, or if it is merged. */
export async function findEpicCheckout(context: DeliverContext, epicId: string) {
  const { repository, target } = await findEpicWork(context, epicId);
  if (await noteMergedEpics(context.store, context.env, [epicId])) return undefined;
  const busy = await whyNotMovable(repository, target, { updateCheckouts: false });
  return busy && { ...busy, into: target.branch };
}

async function findEpicWork(context: DeliverContext, epicId: string): Promise<EpicWork> {
  const { store, env, now, stop } = context;
  const { epic } = await store.readEpic(epicId);
  const settings = await store.settings();
  if (!isDeliveredAsOne(epic, settings)) {
    throw new SagaError(
      "not-ready",
      `Cannot merge the epic ${epicId}: its stories are merged one by one.`,
      {
        hint: `Run and merge them: \`saga epic run ${epicId} --merge\`.`,
      },
    );
  }
  const repository = await findRepository(store.project, env);
  const forge = openForge(repository, { settings, env, now });
  const setting = settings.git.base;
  const base = await fetchAndFindBase(repository, { setting, storyId: epicDelivery(epicId), stop });
  const place = canPush(repository, settings, forge) ? "remote" : "here";
  const target: Target = { branch: base.target, place };
  return { context, epic, settings, repository, forge, base, target };
}

async function mergeInTurn(work: EpicWork, options: MergeOptions): Promise<EpicMergeResult> {
  const { context, epic, settings, repository, forge, base, target } = work;
  await requireStories(work);
  const warnings: string[] = [];
  const found = await ensureEpicBranch({
    repository,
    epicId: epic.id,
    base,
    canPush: canPush(repository, settings, forge),
    stop: context.stop,
  });
  const branch = epicBranch(epic.id);
  const updateCheckouts = options.updateCheckouts ?? settings.delivery.updateCheckout;
  if (found.kind === "merged") {
    const tip = found.commit;
    const commit = await settleArrived(repository, {
      storyId: epicDelivery(epic.id),
      target: target.branch,
      tip,
      onto: base.commit,
    });
    return close(work, { tip, commit, wasThere: true, updateCheckouts, warnings });
  }
  warnings.push(...found.warnings);
  const busy = await whyNotMovable(repository, target, { updateCheckouts });
  if (busy && (options.asksFirst || !busy.isUpdatable)) {
    return { kind: "checked-out", into: target.branch, commit: undefined, ...busy };
  }
  const tipRef =
    found.target.place === "remote" && repository.remote
      ? `refs/remotes/${repository.remote.name}/${branch}`
      : `refs/heads/${branch}`;
  const tip = (await commitOf(repository.git, tipRef)) ?? found.commit;
  const storyIds = epic.children.map(({ id }) => id);
  const delivered = await deliver({
    repository,
    branch,
    tip,
    target,
    updateCheckouts,
    epicId: epic.id,
    editable: editableEpic(epic.id),
    amendment: amendEpic({
      repository,
      store: context.store,
      epicId: epic.id,
      storyIds,
      target: target.branch,
    }),
    storyIds,
    // The commits of its stories must not change: records and people refer to them.
    style: "merge",
    stop: context.stop,
    onWarning: (sentence) => warnings.push(sentence),
    onStep: (step) => context.onStep?.(stepText(step, { branch: target.branch, style: "merge" })),
    verify: (folder, commit, { onto }) => verify(work, { folder, commit, onto }),
  });
  switch (delivered.kind) {
    case "conflict": {
      const { kind: _, ...conflict } = delivered;
      return { kind: "conflict", conflict, branch, into: target.branch };
    }
    case "checked-out":
      return { ...delivered, into: target.branch };
    case "merged":
      return close(work, {
        tip,
        commit: delivered.commit,
        wasThere: false,
        updateCheckouts,
        warnings,
      });
    default:
      return delivered;
  }
}

/** All stories must be in the epic's branch, except for a persistent epic. */
async function requireStories({ context, epic }: EpicWork): Promise<void> {
  const ids = epic.children.map(({ id }) => id);
  const { stories, archived } = await context.store.overview(new Set(ids));
  const open = ids.flatMap((id) => {
    const state = archived.has(id) ? "completed" : (stories.get(id)?.state ?? "missing");
    return state === "completed" ? [] : [`${id} (${state})`];
  });
  if (ids.length > 0 && (open.length === 0 || epic.persistent)) return;
  throw new SagaError(
    "not-ready",
    ids.length === 0
      ? `Cannot merge the epic ${epic.id}: it has no stories.`
      : `Cannot merge the epic ${epic.id}: not all of its stories are merged into ${epicBranch(epic.id)}: ${open.join(", ")}.`,
    { hint: `Run its stories: \`saga epic run ${epic.id}\`.` },
  );
}

/**
 * Runs the checks of all its stories on the merge result, and the search for secrets. Size and file rules were applied
 * per story and would not fit the sum.
 */
async function verify(
  { context, epic, settings, repository }: EpicWork,
  {
    folder,
    commit,
    onto,
  }: { readonly folder: string; readonly commit: string; readonly onto: string },
): Promise<Verification> {
  const { store, env, now, stop, onStep } = context;
  const stories = await Promise.all(epic.children.map(({ id }) => store.readStory(id)));
  const checks = [...new Set(stories.flatMap(({ story }) => story.checks))];
  const story = { id: epicDelivery(epic.id), checks };
  const work: GateWork = { repository, story, tasks: [], settings, env, now, stop, onStep };
  const startedAt = performance.now();
  const range = { git: repository.git, from: onto, to: commit, settings: settings.gate };
  const findings = await findSecretsBetween(range);
  const tree = await codeTree(repository.git, commit);
  const diff: Receipt = {
    at: new Date(now()).toISOString(),
    gate: "diff",
    tree,
    isPassed: findings.length === 0,
    ms: Math.round(performance.now() - startedAt),
    findings: [...findings],
  };
  const checked = await judgeChecks(work, { commit }, folder);
  const redact = redactorFor(env, store.project, settings.worktree.copy);
  const receipts = [diff, ...checked].map((receipt) => withoutSecrets(receipt, redact));
  // Each story was judged by its own definition when it was merged into the epic's branch.
  const required = { checks, weakened: [] };
  return verificationOf(receipts, await storyOverrides(context, epic, diff), required);
}

/** Findings that a person overrode for a story are overridden for the epic too. */
async function storyOverrides(
  context: DeliverContext,
  epic: Epic,
  { at, tree }: Receipt,
): Promise<Receipt> {
  const objections: string[] = [];
  for (const { id } of epic.children) {
    const { receipts } = await readReceipts(context, id);
    const word = receipts.findLast(({ gate }) => gate === "person");
    if (word?.isPassed) objections.push(...(word.overridden?.objections ?? []));
  }
  const overridden = { rules: [], objections, why: "", who: "" };
  return { at, gate: "person", tree, isPassed: true, ms: 0, findings: [], overridden };
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
