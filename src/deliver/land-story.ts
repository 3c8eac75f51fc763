// A story as an entry of its lane: how it is read again, judged on top of what lands before it, and what its outcome
// means for it.

import type { MergeStyle } from "../repo/compose/combine.ts";
import type { CommitParts } from "../repo/compose/compose.ts";
import { judgeDiffOf } from "../gate/story-gate.ts";
import { endJudging } from "../gate/end-leftover-checks.ts";
import type {
  BatchContext,
  LandingKind,
  LandingWork,
  Preparation,
  Refused,
} from "../landing/landing.ts";
import { fetchBase, findBase } from "../repo/repository.ts";
import type { Target } from "../repo/delivery/target.ts";
import { isAncestor } from "../repo/refs.ts";
import { joinCommits, storyStart } from "../repo/story-range.ts";
import { storyLease } from "../store/leases/lease-names.ts";
import type { RenewedLease } from "../store/leases/renew-lease.ts";
import { isElsewhere } from "../story/landing/landed.ts";
import type { Entry } from "../story/landing/entry.ts";
import type { Landed } from "../story/landing/landed.ts";
import { mergeReadiness, reasonsAgainst } from "../story/receipts/merge-readiness.ts";
import type { Receipt } from "../story/receipts/receipt.ts";
import type { Settings } from "../story/settings/settings.ts";
import { handToAgent } from "./conflict.ts";
import { findEarlierMerge } from "./earlier-merge.ts";
import { findCommittedWork } from "./committed-work.ts";
import { findElsewhere } from "./elsewhere/find-elsewhere.ts";
import { ownerGuard } from "./elsewhere/owner-guard.ts";
import { recordLanding } from "./elsewhere/record-landing.ts";
import { amendEpic, editableEpic } from "./epic/epic-file.ts";
import { finishMerge, mergedAgain } from "./after-merge.ts";
import type { MergeResult } from "./merge.ts";
import { continueHandBack, handBack, keepForPerson, type HandBack } from "./hand-back.ts";
import { requireReady } from "./require-ready.ts";
import { takeLease } from "./take-lease.ts";
import { gateWorkOf, redactorOf, type StoryWork } from "./story-work.ts";

export const storyKind: LandingKind = async (context, entry, landed) => {
  const own = await context.store.queue.machine(entry.lane);
  return isElsewhere(entry, own)
    ? prepareElsewhere(context, entry)
    : prepareHere(context, entry, { landed, isShared: own !== undefined });
};

interface LaneFacts {
  readonly landed: Landed | undefined;
  /** Whether the machines of a fleet share the lane. */
  readonly isShared: boolean;
}

async function prepareHere(
  context: BatchContext,
  entry: Entry,
  { landed, isShared }: LaneFacts,
): Promise<Preparation> {
  const storyId = entry.name;
  const lease = await takeLease(context, storyLease(storyId), storyId);
  try {
    await endJudging(context.store.project, storyId);
    if (landed) await recordLanding(context, entry, landed);
    const before = await findEarlierMerge(context, storyId);
    if (before) {
      const outcome = await mergedAgain(context, before, {
        updateCheckouts: entry.updateCheckouts,
        lease,
      });
      await lease.release();
      return { kind: "settled", outcome };
    }
    const work = await findCommittedWork(context, storyId);
    const updateCheckouts = entry.updateCheckouts ?? work.settings.delivery.updateCheckout;
    if (landed) {
      const done = { commit: landed.commit, into: entry.lane.branch, updateCheckouts, lease };
      const outcome = await finishMerge(work, { ...done, warnings: [] });
      await lease.release();
      return { kind: "settled", outcome };
    }
    const handover = await continueHandBack(work, entry.lane);
    if (handover) {
      await lease.release();
      return { kind: "settled", outcome: handBackResult(work, entry.lane, handover) };
    }
    const accepted = await requireReady(work);
    const checkout = await context.busyCheckout();
    const busy = checkout?.isUpdatable && updateCheckouts ? undefined : checkout;
    if (busy && !busy.isUpdatable) {
      await lease.release();
      const into = entry.lane.branch;
      return {
        kind: "settled",
        outcome: { kind: "checked-out", into, commit: undefined, ...busy } satisfies MergeResult,
      };
    }
    // It is verified, for the person to take: others must not wait for that.
    const isForPerson = busy !== undefined;
    return {
      kind: "ready",
      work: {
        ...landingWork(work, { entry, accepted, updateCheckouts, isForPerson, lease }),
        owner: isShared ? ownerGuard(await context.remoteRefs(), storyId, lease) : undefined,
      },
    };
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/** A story of another machine: all that is read of it comes from the remote, and nothing of it is changed. */
async function prepareElsewhere(context: BatchContext, entry: Entry): Promise<Preparation> {
  const storyId = entry.name;
  const lease = await takeLease(context, storyLease(storyId), storyId);
  try {
    const { work, refs } = await findElsewhere(context, entry);
    const accepted = await requireReady(work);
    const facts = { entry, accepted, updateCheckouts: false, isForPerson: false, lease };
    const owner = ownerGuard(refs, storyId, lease, entry.machine);
    return {
      kind: "ready",
      work: { ...landingWork(work, facts), tip: work.range.commit, owner },
    };
  } catch (error) {
    await lease.release();
    throw error;
  }
}

const handBackResult = (work: StoryWork, { branch }: Target, handover: HandBack): MergeResult => ({
  kind: "refused",
  commit: work.range.commit,
  reason: `It fails together with ${branch}.`,
  receipts: [],
  ...handover,
});

interface PreparedStory {
  readonly entry: Entry;
  /** A person's approval, if there is one. */
  readonly accepted: Receipt | undefined;
  readonly updateCheckouts: boolean;
  /** The target is checked out, and may not be updated. */
  readonly isForPerson: boolean;
  readonly lease: RenewedLease;
}

function landingWork(
  work: StoryWork,
  { entry, accepted, updateCheckouts, isForPerson, lease }: PreparedStory,
): LandingWork {
  const { repository, branch, epicId, forge, range, record } = work;
  const target: Target = entry.lane;
  const warnings: string[] = [];
  let diff: Receipt | undefined;
  return {
    entry,
    branch,
    start: range.from,
    onWarning: (sentence) => warnings.push(sentence),
    epicId,
    ...(epicId !== undefined && {
      editable: editableEpic(epicId),
      amendment: amendEpic({
        repository,
        store: work.store,
        epicId,
        storyIds: [record.id],
        target: target.branch,
      }),
    }),
    title: record.story.title,
    style: styleOf(work.settings.delivery.history, forge.kind),
    keepsCommits: forge.kind === "github",
    checks: record.story.checks,
    // After an overridden check, the remaining checks must run too.
    // What another machine could not land should not keep others from landing.
    landsAlone: isForPerson || accepted?.overridden !== undefined || entry.isLeft === true,
    updateCheckouts,
    async judge(candidate) {
      const { commit, tip } = candidate;
      const refuse = (reason: string, receipts: readonly Receipt[] = []): Refused => ({
        commit,
        reason,
        receipts,
        before: [],
      });
      if (tip !== range.commit) return refuse(movedOn(branch));
      const from = await judgedFrom(work, target, candidate);
      diff = redactorOf(work)(
        await judgeDiffOf(gateWorkOf(work), { from, commit: candidate.work }),
      );
      const { mergeBlockers } = readiness(work, [diff], accepted);
      const own = mergeBlockers.filter(({ rule }) => rule !== "check");
      return own.length === 0
        ? undefined
        : refuse(own.map(({ message }) => message).join(" "), [diff]);
    },
    async whyNot(checks) {
      const receipts = [...(diff ? [diff] : []), ...checks.map(redactorOf(work))];
      const { missing, mergeBlockers } = readiness(work, receipts, accepted);
      return reasonsAgainst({ missing, mergeBlockers }).join(" ") || undefined;
    },
    // In a fleet another machine may have it by now.
    isStillWanted: async () => !lease.lost.aborted && lease.isMine(),
    landed: (commit) =>
      finishMerge(work, { commit, into: target.branch, updateCheckouts, lease, warnings }),
    async conflicts({ files, onto, base }) {
      const conflict = { files, onto, base };
      const handover = await handToAgent(work, conflict);
      return { kind: "conflict", conflict, ...handover } satisfies MergeResult;
    },
    async refused(why) {
      const receipts = why.receipts.map(redactorOf(work));
      const { commit, reason } = why;
      // A person who overrode a finding decides about the next one too.
      const isForPersonAlone = why.isTargetRed === true || accepted?.overridden !== undefined;
      const handover = isForPersonAlone
        ? await keepForPerson(work, why)
        : await handBack(work, target, why);
      return { kind: "refused", commit, reason, receipts, ...handover } satisfies MergeResult;
    },
    checkedOut: async (busy) =>
      ({ kind: "checked-out", into: target.branch, ...busy }) satisfies MergeResult,
    moved: async (why) => ({ kind: "moved", rounds: 0, why }) satisfies MergeResult,
    release: async () => lease.release(),
  };
}

const STYLES = { tasks: "rebase", merge: "merge-commit", squash: "squash" } as const;

/**
 * GitHub shows a pull request as merged only if its own commits arrive, and Saga's are among them. Always with a merge
 * commit, so that the target's own line of history has one commit for each story.
 */
export const styleOf = (
  history: Settings["delivery"]["history"],
  forge: StoryWork["forge"]["kind"],
): MergeStyle => (forge === "github" ? "merge-commit" : STYLES[history]);

/** Testing and review were required of the story's own code before. */
function readiness(
  { required }: StoryWork,
  receipts: readonly Receipt[],
  accepted: Receipt | undefined,
) {
  const [first] = receipts;
  const held = accepted && first ? [...receipts, { ...accepted, tree: first.tree }] : receipts;
  return mergeReadiness(held, { ...required, needsReview: false, needsTesting: false });
}

/** Tester, reviewer and person saw the branch as it was when the merge started. */
const movedOn = (branch: string): string =>
  `${branch} has new commits since the merge started, which have not passed the gate.`;

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
