// Tells a person what became of a run, in the ways that the settings ask for, once for each run. It never
// fails a command.

import { messageOf } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { newRedactor, secretsIn } from "../../machine/files/redact.ts";
import { say, type Speaker } from "../../store/notifications/send.ts";
import type { Store } from "../../store/store.ts";
import { epicLease } from "../../store/leases/lease-names.ts";
import { wasKilled, type StoryView } from "../../store/views/overview.ts";
import {
  notificationOfRun,
  notificationOfQuestion,
  type Notification,
  type NotifiedStory,
} from "../../story/prompts/notification.ts";
import type { Settings } from "../../story/settings/settings.ts";
import type { WorkerResult } from "../../worker/worker.ts";
import type { Io } from "../program/io.ts";

export async function tellOfRun(
  { store, settings, env, io }: { store: Store; settings: Settings; env: Environment; io: Io },
  storyId: string,
  { runId, outcome, reason, pullRequest }: WorkerResult,
): Promise<void> {
  await guarded(io, async () => {
    // Told by the next command that looks: it may be resumed by itself before anyone has to know.
    if (outcome === "killed") return;
    const isFinished = outcome === "done" || outcome === "push-failed";
    if (isFinished && (await isMergedByItself(store, storyId))) return;
    const { story } = await store.readStory(storyId);
    const notice = notificationOfRun(story, { id: runId, outcome, reason, pullRequest });
    const around = { project: store.project, settings, env, now: Date.now };
    if (notice) await giveNotice(io, notice, around, io.writeOut);
  });
}

/** Nobody has to review it then: what comes of the merge is said when the epic's run ends. */
async function isMergedByItself(store: Store, storyId: string): Promise<boolean> {
  const { epicId } = await store.viewStory(storyId);
  if (epicId === undefined) return false;
  const lease = await store.leases.read(epicLease(epicId));
  return lease?.life === "alive" && lease.record.purpose === "merging-epic-run";
}

/** A story whose newest question no run has told of: a merge has raised it. */
export async function tellOfQuestion(
  { io, store }: { readonly io: Io; readonly store: Store },
  storyId: string,
): Promise<void> {
  await guarded(io, async () => {
    const settings = await store.settings();
    const { record, epicId, openBlockers } = await store.viewStory(storyId);
    const asked = openBlockers.at(-1);
    if (asked === undefined) return;
    const { id, title } = record.story;
    const around = { project: store.project, settings, env: io.env, now: Date.now };
    await giveNotice(
      io,
      notificationOfQuestion({ id, title, epic: epicId }, asked),
      around,
      io.writeError,
    );
  });
}

/** A run whose worker was killed: whoever notices it first says it, for nobody else will. */
export interface KilledRun {
  readonly story: NotifiedStory;
  readonly runId: string;
}

/** Whoever asked for something else waits no longer for it. */
const IN_PASSING_MS = 5_000;

export async function tellOfKilled(
  { io, store }: { readonly io: Io; readonly store: Store },
  found: readonly KilledRun[],
): Promise<void> {
  if (found.length === 0) return;
  await guarded(io, async () => {
    const settings = await store.settings();
    const stop = AbortSignal.timeout(IN_PASSING_MS);
    const around = { project: store.project, settings, env: io.env, now: Date.now, stop };
    for (const { story, runId } of found) {
      const notice = notificationOfRun(story, { id: runId });
      if (notice) await giveNotice(io, notice, around, io.writeError);
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

/** Whatever goes wrong with it is said on stderr. */
export async function giveNotice(
  io: Io,
  notice: Notification,
  around: Omit<Speaker, "redact" | "terminal">,
  write: (text: string) => void,
): Promise<void> {
  const { warnings } = await say(notice, {
    ...around,
    redact: newRedactor(secretsIn(around.env)),
    terminal: { isTerminal: io.isTerminal, write },
  });
  for (const warning of warnings) io.writeError(`saga: ${warning}\n`);
}

async function guarded(io: Io, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    io.writeError(`saga: A notice could not be given: ${messageOf(error)}\n`);
  }
}
