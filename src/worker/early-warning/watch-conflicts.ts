// Looks for conflicts while an agent works: after each commit of its story, and now and then for what others committed.
// It never makes the agent wait: a warning reaches the agent with a later tool call.

import { messageOf } from "../../errors.ts";
import { throttle } from "../../agent/throttle.ts";
import { isOpenWork } from "../../store/views/overview.ts";
import {
  newWarnings,
  warningNote,
  withWarned,
  type WarnedFiles,
} from "../../story/early-warning/warning-text.ts";
import { otherSide } from "../../story/early-warning/conflicts-ahead.ts";
import type { PreparedWork } from "../context.ts";
import { checkConflicts, type LookRequest } from "./check-conflicts.ts";

/** What the agent of a conversation was told, or is told with its next tool call. */
export interface ConflictNotes {
  warned: WarnedFiles;
  note: string | undefined;
}

export const newConflictNotes = (): ConflictNotes => ({ warned: new Map(), note: undefined });

export interface ConflictWatch {
  readonly committed: () => void;
  /** Returned once. */
  readonly noteForAgent: () => string | undefined;
  /** Resolves when no look is running any more. */
  readonly end: () => Promise<void>;
}

/** Twice within the 30 seconds in which both agents are to know. */
const LOOK_EVERY_MS = 12_000;
/** Several tasks may be completed at once. */
const LOOK_AT_MOST_EVERY_MS = 1_000;

export function watchConflicts(work: PreparedWork, notes: ConflictNotes): ConflictWatch {
  const { record } = work;
  let lastError = "";
  const looks = throttle(look, LOOK_AT_MOST_EVERY_MS, (error) => {
    const message = messageOf(error);
    // The next look may succeed. A lasting problem is reported once.
    if (message !== lastError)
      record.warn(`Could not check for conflicts with other work: ${message}`);
    lastError = message;
  });
  const timer = setInterval(looks.request, LOOK_EVERY_MS).unref();
  looks.request();
  return {
    committed: looks.request,
    noteForAgent() {
      const { note } = notes;
      notes.note = undefined;
      return note;
    },
    async end() {
      clearInterval(timer);
      await looks.end();
    },
  };

  async function look(): Promise<void> {
    const { storyId } = work.request;
    const { conflicts, works } = await checkConflicts(lookRequest(work));
    const found = newWarnings(conflicts, notes.warned, storyId);
    if (found.length === 0) return;
    notes.warned = withWarned(notes.warned, found, storyId);
    const text = warningNote(found, storyId, (id) => works.find(({ story }) => story === id));
    notes.note = [notes.note, text].filter((part) => part !== undefined).join("\n\n");
    for (const conflict of found) {
      const { kind, name } = otherSide(conflict, storyId);
      record.note({ type: "conflict.ahead", kind, with: name, files: conflict.files });
    }
  }
}

/** After the last commits of a run, when no agent is there to be told. */
export async function lookOnce(work: PreparedWork): Promise<void> {
  await checkConflicts(lookRequest(work)).catch((error: unknown) =>
    work.record.warn(`Could not check for conflicts with other work: ${messageOf(error)}`),
  );
}

function lookRequest(work: PreparedWork): LookRequest {
  const { context, repository, base, canPush, story, request } = work;
  const { title, description } = story.definition();
  const remote = `refs/remotes/${repository.remote?.name}/${base.target}`;
  const here = `refs/heads/${base.target}`;
  return {
    repository,
    openWorks: context.store.openWorks,
    story: { id: request.storyId, title, description },
    target: { branch: base.target, refs: [...(canPush ? [remote, here] : [here]), base.ref] },
    now: context.now,
    async isOpen(storyId) {
      const view = await context.store.viewStory(storyId).catch(() => undefined);
      return view !== undefined && isOpenWork(view);
    },
  };
}
