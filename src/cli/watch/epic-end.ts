// What follows the end of an epic's run: its pull request, and a notification.

import type { Context } from "../../context.ts";
import { ensureEpicPullRequest } from "../../deliver/epic/pull-request.ts";
import type { EpicEnd } from "../../epic/schedule.ts";
import { messageOf } from "../../errors.ts";
import { openForge } from "../../repo/open-forge.ts";
import { findRepository } from "../../repo/repository.ts";
import type { Store } from "../../store/store.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { notificationOfEpic } from "../../story/prompts/notification.ts";
import type { CommandContext } from "../program/command.ts";
import { reasonOf } from "./epic-summary.ts";
import { sendNotification } from "./notify.ts";
import { pullRequestName } from "../../text/pull-request-name.ts";

export interface EpicRunEnd extends Pick<Context, "store" | "settings"> {
  readonly epic: Epic;
  readonly end: EpicEnd;
}

/** If the forge cannot be reached, the next run opens the pull request. */
export async function openEpicPullRequest(
  { io }: CommandContext,
  { store, settings, epic, end }: EpicRunEnd,
  printLine: (sentence: string) => void,
): Promise<void> {
  try {
    const repository = await findRepository(store.project, io.env);
    const forge = openForge(repository, { settings, env: io.env, now: Date.now });
    const pull = await ensureEpicPullRequest(
      { store, settings, repository, forge },
      epic,
      end.isDone,
    );
    if (pull) printLine(`The epic ${epic.id} has the pull request ${pullRequestName(pull.ref)}.`);
    if (pull?.state === "open" && end.isDone) printLine(`Merge it: \`saga merge ${epic.id}\``);
  } catch (error) {
    printLine(`Could not open the epic's pull request: ${messageOf(error)}`);
  }
}

/** Identifies the epic's completion: it changes only when one of its stories runs again. */
export async function newestRun(store: Store, { children }: Epic): Promise<string | undefined> {
  const runs = await Promise.all(children.map(({ id }) => store.listRuns(id)));
  return runs
    .flatMap(([last]) => last?.id ?? [])
    .toSorted()
    .at(-1);
}

export async function notifyOfEpic(
  { io }: CommandContext,
  { store, settings, epic, end }: EpicRunEnd,
  runId: string,
): Promise<void> {
  const notification = notificationOfEpic(epic, {
    runId,
    isDone: end.isDone,
    reason: reasonOf(epic, end),
  });
  const channel = { project: store.project, settings, env: io.env, now: Date.now };
  await sendNotification(io, notification, channel, io.writeError);
}
