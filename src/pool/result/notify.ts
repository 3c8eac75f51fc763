// Notifies a person that a task is held for them.

import { sendToChannels, type SendContext } from "../../store/notifications/send.ts";
import type { Store } from "../../store/store.ts";
import { attentionOfPoolTask } from "../../story/state/task-attention.ts";
import { notificationOfPool } from "../../story/prompts/notification.ts";

export interface HeldTask {
  readonly id: string;
  readonly subject: string;
  /** Identifies this hold, so that it is notified once. */
  readonly occasion: string;
  readonly reason: string;
  readonly isQuestion: boolean;
}

/** Returns warnings: a notification that fails does not stop anything. */
export async function notifyHeldTask(
  sender: Omit<SendContext, "project"> & { readonly list: string; readonly store: Store },
  task: HeldTask,
): Promise<readonly string[]> {
  const { list, store, settings, env, redact, now } = sender;
  const notification = heldNotification(list, task);
  return (
    await sendToChannels(notification, { project: store.project, settings, env, redact, now })
  ).warnings;
}

export const heldNotification = (
  list: string,
  { id, subject, occasion, reason, isQuestion }: HeldTask,
) =>
  notificationOfPool({
    list,
    occasion: `${id}/${occasion}`,
    title: subject,
    text: reason,
    next: attentionOfPoolTask({ id, state: "needs-you", isQuestion })?.next ?? "",
  });
