// Says to a person that a task is held for them.

import { say, type Speaker } from "../../store/notifications/send.ts";
import type { Store } from "../../store/store.ts";
import { notificationOfPool } from "../../story/prompts/notification.ts";

export interface HeldTask {
  readonly id: string;
  readonly subject: string;
  /** Tells this time from all others that it was held. */
  readonly occasion: string;
  readonly reason: string;
  readonly isQuestion: boolean;
}

/** A notice that cannot be given ends nothing: what went wrong, in sentences. */
export async function tellOfTask(
  speaker: Omit<Speaker, "project"> & { readonly list: string; readonly store: Store },
  { id, subject, occasion, reason, isQuestion }: HeldTask,
): Promise<readonly string[]> {
  const { list, store, settings, env, redact, now } = speaker;
  const notice = notificationOfPool({
    list,
    occasion: `${id}/${occasion}`,
    title: subject,
    text: reason,
    next: `saga task release ${id}${isQuestion ? ' --answer "…"' : ""}`,
  });
  return (await say(notice, { project: store.project, settings, env, redact, now })).warnings;
}
