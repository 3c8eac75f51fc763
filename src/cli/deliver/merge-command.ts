// Shared by the commands that verify, accept and merge a story.

import {
  mergeStory,
  type findCheckout,
  type MergeResult,
  type MergeOptions,
} from "../../deliver/merge.ts";
import { retryPush } from "../../deliver/push-story.ts";
import type { DeliverContext } from "../../deliver/story-work.ts";
import type { BusyCheckout } from "../../repo/delivery/update-checkout.ts";
import { LEASE_TTL_MS, renewedLease } from "../../store/leases/renew-lease.ts";
import { storyInUse } from "../../store/leases/in-use.ts";
import { endJudging } from "../../gate/end-leftover-checks.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { LeaseRecord } from "../../store/leases/leases.ts";
import type { Lease } from "../../store/ownership/ownership.ts";
import type { Store } from "../../store/store.ts";
import {
  checkoutQuestion,
  declinedAdvice,
  type AskingCommand,
} from "../../story/receipts/checkout-advice.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import { requireId } from "../../story/definition/names.ts";
import { isYes } from "../program/io.ts";
import { landingKinds } from "./landing-kinds.ts";
import type { CommandResult, Exits, CommandContext } from "../program/command.ts";
import { EDITED_ADVICE, editedCopy, editedSentence } from "../output/edited-copy.ts";
import { lines, plain } from "../output/terminal.ts";
import { notifyOfQuestion } from "../watch/notify.ts";

export const deliverContext = ({ io, openProject }: CommandContext): DeliverContext => ({
  store: openProject(),
  env: io.env,
  now: Date.now,
  stop: io.untilStopped(),
  onStep: unrepeated((about) => io.writeError(`${plain(about)} …\n`)),
  onWarning: once((sentence) => io.writeError(`${plain(sentence)}\n`)),
});

/** A step that several stories take at once is shown once. */
function unrepeated(show: (about: string) => void): (about: string) => void {
  let last: string | undefined;
  return (about) => {
    if (about !== last) show(about);
    last = about;
  };
}

/** Drops repeated warnings. */
function once(warn: (sentence: string) => void): (sentence: string) => void {
  const shown = new Set<string>();
  return (sentence) => {
    if (!shown.has(sentence)) warn(sentence);
    shown.add(sentence);
  };
}

/** Holds the story's lease, so that no worker starts meanwhile. */
export async function withStoryLease<T>(
  store: Store,
  storyId: string,
  act: (lease: Lease<LeaseRecord>) => Promise<T>,
): Promise<T> {
  const name = storyLease(requireId("story", storyId));
  const { lease, heldBy } = await store.leases.acquire(name, DECIDING);
  if (!lease) throw storyInUse(storyId, heldBy.owner);
  // Checks take minutes: a process of another container judges the lease by its expiry.
  const renewed = renewedLease(lease);
  try {
    await endJudging(store.project, storyId);
    return await act(renewed);
  } finally {
    await renewed.release();
  }
}

const DECIDING = { owner: "saga", purpose: "command", ttlMs: LEASE_TTL_MS } as const;

export interface CheckoutQuestion {
  readonly command: AskingCommand;
  readonly id: string;
  /** From the command line. */
  readonly updateCheckout: boolean | undefined;
  readonly find: typeof findCheckout;
}

/** `declined`: the person said no, so the command ends with this. */
export type CheckoutDecision =
  | { readonly updateCheckouts: boolean | undefined }
  | { readonly declined: CommandResult };

/** Asks before any long check whether the target's checkout may be updated, unless an option or a setting decides. */
export async function askAboutCheckout(
  { io }: CommandContext,
  delivery: DeliverContext,
  { command, id, updateCheckout, find }: CheckoutQuestion,
): Promise<CheckoutDecision> {
  const isDecided = updateCheckout !== undefined || !io.isTerminal;
  if (isDecided || (await delivery.store.settings()).delivery.updateCheckout) {
    return { updateCheckouts: updateCheckout };
  }
  const busy = await find(delivery, id);
  if (!busy?.isUpdatable) return { updateCheckouts: updateCheckout };
  const isAllowed = isYes(await io.ask(`${plain(checkoutQuestion({ ...busy, id }))} [y/N] `));
  return isAllowed ? { updateCheckouts: true } : { declined: declinedResult(command, id, busy) };
}

/** Nothing was done. */
export function declinedResult(
  command: AskingCommand,
  id: string,
  checkout: BusyCheckout & { readonly into: string },
): CommandResult {
  const advice = declinedAdvice(command, id);
  return {
    json: { id, kind: "declined", ...checkout, ...advice },
    text: () => `${lines(advice.message)}\n${lines(advice.hint)}\n`,
    exitCode: EXIT.notMerged,
  };
}

/** A repeated conflict becomes a question, and the person is notified of it. */
export async function mergeAndNotify(
  { io }: CommandContext,
  delivery: DeliverContext,
  storyId: string,
  options: MergeOptions,
): Promise<MergeResult> {
  await retryPush(delivery, storyId);
  await warnOfEditedCopy(delivery, storyId);
  const merged = await mergeStory({ ...delivery, kinds: landingKinds }, storyId, options);
  const isQuestion = merged.kind === "conflict" && merged.taskId === undefined;
  if (isQuestion) await notifyOfQuestion({ io, store: delivery.store }, storyId);
  return merged;
}

/** A change in the person's checkout is not what is judged and merged. */
export async function warnOfEditedCopy(delivery: DeliverContext, storyId: string): Promise<void> {
  const record = await delivery.store.readStory(storyId).catch(() => undefined);
  const edited = record && (await editedCopy(delivery, record));
  if (edited === undefined) return;
  delivery.onWarning?.(`${editedSentence(edited, delivery.store.project)} ${EDITED_ADVICE}`);
}

export const MERGE_EXITS: Exits = {
  1: "the merge was refused, has conflicts or was stopped; nothing was changed",
  3: "the story conflicts for the second time: answer its question",
  4: "not merged, because the target is checked out: add --update-checkout",
};
