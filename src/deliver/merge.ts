// Brings a finished story into its target: gates first, one at a time, and the target is only ever moved
// to what was verified. Whatever happens, it can be repeated.

import { setTimeout as wait } from "node:timers/promises";
import { messageOf, SagaError } from "../errors.ts";
import { judgeChecks, judgeDiffOf } from "../gate/story-gate.ts";
import { codeTree } from "../repo/code-tree.ts";
import type { Conflict } from "../repo/conflict.ts";
import { deliver, type Delivered, type Verified } from "../repo/deliver.ts";
import { canPush } from "../repo/open-forge.ts";
import { removeWorktree } from "../repo/remove.ts";
import type { Target } from "../repo/target.ts";
import { storyLease } from "../store/overview.ts";
import { readReceipts } from "../store/receipts.ts";
import type { Lease } from "../store/lease.ts";
import { requireId } from "../story/names.ts";
import { receiptsFor } from "../story/receipt-text.ts";
import type { Receipt } from "../story/receipt.ts";
import { standingOf } from "../story/standing.ts";
import { giveToAgent, type HandedOver } from "./conflict.ts";
import { findWork, gateWorkOf, type Around, type StoryWork } from "./story-work.ts";

export interface MergeOptions {
  /** Whether a clean checkout of the target may be brought up to date with it; else the settings say. */
  readonly updateCheckouts?: boolean | undefined;
}

export type Merged =
  | {
      readonly kind: "merged";
      readonly commit: string;
      readonly into: string;
      readonly worktree: string | undefined;
      readonly warnings: readonly string[];
    }
  | ({ readonly kind: "conflict"; readonly conflict: Conflict } & HandedOver)
  | Exclude<Delivered, { kind: "merged" | "conflict" }>;

const TTL_MS = 90_000;
const POLL_MS = 500;
/** A merge runs the story's checks; the one before may take its time. */
const PATIENCE_MS = 2 * 3600_000;

export async function mergeStory(
  around: Around,
  storyId: string,
  options: MergeOptions,
): Promise<Merged> {
  const own = await claim(around, storyLease(requireId("story", storyId)), 0);
  try {
    const turn = await claim(around, "merge", PATIENCE_MS);
    try {
      // Read now: until here a worker may have gone on with it.
      return await mergeInTurn(await findWork(around, storyId), options);
    } finally {
      turn.release();
    }
  } finally {
    own.release();
  }
}

async function mergeInTurn(work: StoryWork, options: MergeOptions): Promise<Merged> {
  const { repository, branch, around, settings, forge } = work;
  const updateCheckouts = options.updateCheckouts ?? settings.delivery.updateCheckout;
  const accepted = await requireReady(work);
  const isRemote = repository.remote !== undefined && canPush(repository, settings, forge);
  const target: Target = { branch: work.base.target, place: isRemote ? "remote" : "here" };
  const warnings: string[] = [];
  const delivered = await deliver({
    repository,
    branch,
    target,
    updateCheckouts,
    // A pull request counts as merged there when its own commits have arrived.
    style: forge.kind === "github" ? "merge" : "rebase",
    stop: around.stop,
    onWarning: (sentence) => warnings.push(sentence),
    onStep: ({ name, round }) => around.onStep?.(round === 1 ? name : `${name}, once more`),
    verify: (folder, commit, { onto }) => verify(work, accepted, { folder, commit, onto }),
  });
  if (delivered.kind === "conflict") {
    const { kind: _, ...conflict } = delivered;
    return { kind: "conflict", conflict, ...(await giveToAgent(work, conflict)) };
  }
  if (delivered.kind !== "merged") return delivered;
  return close(work, delivered.commit, target, warnings);
}

/** Everything that must hold for the story's own code; answers a person's word on it, if there is one. */
async function requireReady({
  store,
  record,
  repository,
  range,
}: StoryWork): Promise<Receipt | undefined> {
  const { story, tasks } = record;
  const left = tasks.filter(({ status }) => status !== "completed").length;
  if (left > 0 || tasks.length === 0) {
    throw new SagaError("not-ready", `The story ${story.id} is not finished.`, {
      hint: `${left} of its ${tasks.length} tasks are left: \`saga run ${story.id}\`.`,
    });
  }
  const tree = await codeTree(repository.git, range.commit);
  const receipts = receiptsFor(await readReceipts(store, story.id), tree);
  const { missing, objections } = standingOf(receipts, story);
  if (missing.length > 0) {
    throw new SagaError(
      "not-ready",
      `The story ${story.id} is claimed, not proven: ${missing.join(", ")}.`,
      {
        hint: `\`saga run ${story.id}\` runs its gate; \`saga accept ${story.id}\` runs it and accepts.`,
      },
    );
  }
  if (objections.length > 0) {
    const said = objections.map(({ rule, message }) => `${rule}: ${message}`).join("\n  ");
    throw new SagaError("not-ready", `The story ${story.id} does not pass its gate:\n  ${said}`, {
      hint: `\`saga accept ${story.id}\` or \`saga reject ${story.id} "…"\`.`,
    });
  }
  return receipts.findLast(({ gate }) => gate === "person");
}

/** The same again on what will really be there: the story on top of the target as it is now. */
async function verify(
  work: StoryWork,
  accepted: Receipt | undefined,
  {
    folder,
    commit,
    onto,
  }: { readonly folder: string; readonly commit: string; readonly onto: string },
): Promise<Verified> {
  const gate = gateWorkOf(work);
  const range = { from: onto, commit };
  const diff = await judgeDiffOf(gate, range);
  const receipts = [diff, ...(await judgeChecks(gate, range, folder))];
  const held = accepted ? [...receipts, { ...accepted, tree: diff.tree }] : receipts;
  // Whether someone has looked at it was asked of the story's own code.
  const { checks } = work.record.story;
  const required = { checks, needsReview: false, needsTesting: false };
  const { missing, objections } = standingOf(held, required);
  if (missing.length === 0 && objections.length === 0) return { isPassed: true };
  const reason = [...objections.map(({ message }) => message), ...missing].join(" ");
  return { isPassed: false, reason, receipts };
}

/** It is merged: what is left is to say so everywhere, and none of that can undo it. */
async function close(
  work: StoryWork,
  commit: string,
  target: Target,
  warnings: string[],
): Promise<Merged> {
  const { store, record, repository, branch, settings, around, forge } = work;
  const { id } = record.story;
  await attempt(warnings, async () => {
    const pull = await forge.find(branch);
    if (pull?.state === "open") await forge.markMerged(pull.number, commit);
  });
  const reason = `Merged into ${target.branch} as ${commit.slice(0, 12)}.`;
  const log = await store.startRun(id, { reason });
  log.update({ endedAt: new Date(around.now()).toISOString(), outcome: "merged", reason });
  log.close();
  const { copy, link } = settings.worktree;
  const removal = await removeWorktree({
    repository,
    storyId: id,
    isLeased: false,
    baseCommit: commit,
    exclude: [...copy, ...link],
  });
  if (settings.delivery.archive) await attempt(warnings, () => store.archive([id]));
  await attempt(warnings, () => store.writeEpicsSnapshot());
  const worktree = removal.removed ? undefined : removal.why;
  return { kind: "merged", commit, into: target.branch, worktree, warnings };
}

async function attempt(warnings: string[], act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    warnings.push(messageOf(error));
  }
}

/** Waits for whoever has it, if that is worth waiting for. */
async function claim(
  { store, now, onStep, stop }: Around,
  name: string,
  patienceMs: number,
): Promise<Lease> {
  const until = now() + patienceMs;
  for (;;) {
    const { lease, heldBy } = await store.leases.acquire(name, {
      owner: "saga merge",
      ttlMs: TTL_MS,
    });
    if (lease) return renewed(lease);
    if (now() >= until) throw inUse(name, heldBy.owner);
    onStep?.(`waiting for ${heldBy.owner}`);
    await wait(POLL_MS, undefined, { signal: stop });
  }
}

/** Only those on other machines judge it by its expiry; a long check must not look dead to them. */
function renewed(lease: Lease): Lease {
  const timer = setInterval(() => lease.renew(), TTL_MS / 4);
  return {
    ...lease,
    release() {
      clearInterval(timer);
      lease.release();
    },
  };
}

const inUse = (name: string, owner: string): SagaError =>
  new SagaError("in-use", `${owner} has ${name.replace(".", " ")}.`, {
    hint: "Wait until it has ended, or stop it first.",
  });
