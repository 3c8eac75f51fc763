// Notifies a person of the outcome of a run, once per run, through the channels in the settings. A failed notification
// never fails the command.

import { messageOf } from "../../errors.ts";
import { newRedactor, secretsIn } from "../../machine/files/redact.ts";
import { sendToChannels, type SendContext } from "../../store/notifications/send.ts";
import type { Store } from "../../store/store.ts";
import { epicLease } from "../../store/leases/lease-names.ts";
import { wasKilled, type StoryView } from "../../store/views/overview.ts";
import { localDay } from "../../text/local-day.ts";
import {
  notificationOfBudget,
  notificationOfRun,
  notificationOfQuestion,
  type Notification,
  type NotifiedStory,
} from "../../story/prompts/notification.ts";
import type { WorkerResult } from "../../worker/steps/run-record.ts";
import type { Io } from "../program/io.ts";
import type { Context } from "../../context.ts";

export async function notifyOfRun(
  { store, settings, env, io }: Pick<Context, "store" | "settings" | "env"> & { io: Io },
  storyId: string,
  { runId, outcome, reason, pullRequest }: WorkerResult,
): Promise<void> {
  await reportFailure(io, async () => {
    // Reported by the next command that reads the story: the run may be resumed automatically before that.
    if (outcome === "killed") return;
    const isFinished = outcome === "done" || outcome === "push-failed";
    if (isFinished && (await isMergedByEpicRun(store, storyId))) return;
    const { story } = await store.readStory(storyId);
    const notification = notificationOfRun(story, { id: runId, outcome, reason, pullRequest });
    const context = { project: store.project, settings, env, now: Date.now };
    if (notification) await sendNotification(io, notification, context, io.writeOut);
  });
}

/** Then no review is needed; the epic's run reports the merge. */
async function isMergedByEpicRun(store: Store, storyId: string): Promise<boolean> {
  const { epicId } = await store.viewStory(storyId);
  if (epicId === undefined) return false;
  const lease = await store.leases.read(epicLease(epicId));
  return lease?.life === "alive" && lease.record.purpose === "merging-epic-run";
}

/** Once a day, or once for an epic's run, however many workers notice it. */
export async function notifyOfBudget(
  { store, settings, env, io }: Pick<Context, "store" | "settings" | "env"> & { io: Io },
  spent: { readonly spentUsd: number; readonly budgetUsd: number },
  { occasion = localDay(Date.now()), epic }: { occasion?: string; epic?: string } = {},
): Promise<void> {
  await reportFailure(io, async () => {
    const notification = notificationOfBudget({ ...spent, occasion, epic });
    const context = { project: store.project, settings, env, now: Date.now };
    await sendNotification(io, notification, context, io.writeError);
  });
}

/** For a question that a merge raised, so no run has reported it. */
export async function notifyOfQuestion(
  { io, store }: { readonly io: Io; readonly store: Store },
  storyId: string,
): Promise<void> {
  await reportFailure(io, async () => {
    const settings = await store.settings();
    const { record, epicId, openBlockers } = await store.viewStory(storyId);
    const question = openBlockers.at(-1);
    if (question === undefined) return;
    const { id, title } = record.story;
    const context = { project: store.project, settings, env: io.env, now: Date.now };
    await sendNotification(
      io,
      notificationOfQuestion({ id, title, epic: epicId }, question),
      context,
      io.writeError,
    );
  });
}

/** A run whose worker was killed. The first command that finds it notifies, because the worker no longer can. */
export interface KilledRun {
  readonly story: NotifiedStory;
  readonly runId: string;
}

/** Notifying must not delay the command for longer. */
const MAX_DELAY_MS = 5_000;

export async function notifyOfKilled(
  { io, store }: { readonly io: Io; readonly store: Store },
  killed: readonly KilledRun[],
): Promise<void> {
  if (killed.length === 0) return;
  await reportFailure(io, async () => {
    const settings = await store.settings();
    const stop = AbortSignal.timeout(MAX_DELAY_MS);
    const context = { project: store.project, settings, env: io.env, now: Date.now, stop };
    for (const { story, runId } of killed) {
      const notification = notificationOfRun(story, { id: runId });
      if (notification) await sendNotification(io, notification, context, io.writeError);
    }
  });
}

export const killedIn = (views: Iterable<StoryView>): KilledRun[] =>
  [...views].flatMap((view) => {
    const { record, epicId, lastRun } = view;
    if (!wasKilled(view) || lastRun.id === undefined) return [];
    const { id, title } = record.story;
    return [{ story: { id, title, epic: epicId }, runId: lastRun.id }];
  });

/** Failures are reported on stderr. */
export async function sendNotification(
  io: Io,
  notification: Notification,
  context: Omit<SendContext, "redact" | "terminal">,
  write: (text: string) => void,
): Promise<void> {
  const { warnings } = await sendToChannels(notification, {
    ...context,
    redact: newRedactor(secretsIn(context.env)),
    terminal: { isTerminal: io.isTerminal, write },
  });
  for (const warning of warnings) io.writeError(`saga: ${warning}\n`);
}

async function reportFailure(io: Io, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    io.writeError(`saga: Could not send a notification: ${messageOf(error)}\n`);
  }
}
