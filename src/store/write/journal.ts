// Appends to a journal by rewriting the whole file, so that no entry is ever written by half.

import { dirname, join } from "node:path";
import { SagaError } from "../../errors.ts";
import {
  appendEntry,
  nextBlocker,
  parseJournal,
  type Journal,
  type JournalEntry,
  type NewEntry,
} from "../../story/definition/journal.ts";
import type { WriteLock } from "../project/layout.ts";
import { requireStory } from "../project/require-read.ts";
import { commit } from "./transaction.ts";

export const journalFile = (storyFolder: string): string => join(storyFolder, "journal.md");

export function appendJournal(at: WriteLock, storyId: string, entry: NewEntry): JournalEntry {
  const change = withEntry(at, storyId, entry);
  commit(at, [change]);
  const { blocker } = change;
  return { ...entry, blocker, line: parseJournal(change.text).entries.at(-1)?.line ?? 0 };
}

/** The journal with one more entry, to be written together with other files. */
export function withEntry(
  at: WriteLock,
  storyId: string,
  entry: NewEntry,
): { readonly path: string; readonly text: string; readonly blocker: string | undefined } {
  const { story, journal: before = "" } = requireStory(at, storyId);
  const blocker = numberOf(entry, parseJournal(before), storyId);
  const text = appendEntry(before, story.title, { ...entry, blocker });
  return { path: journalFile(dirname(at.file)), text, blocker };
}

/** A blocker gets the next number; a resolution gets the one it names, or that of the only open blocker. */
export function numberOf(
  entry: Pick<NewEntry, "kind" | "blocker">,
  journal: Journal,
  storyId: string,
): string | undefined {
  if (entry.kind === "blocker") return nextBlocker(journal);
  if (entry.kind !== "resolution") return undefined;
  const [only, ...others] = journal.open.map((one) => one.blocker);
  if (entry.blocker === undefined && others.length === 0 && only !== undefined) return only;
  if (journal.open.some((one) => one.blocker === entry.blocker)) return entry.blocker;
  const open = journal.open.length === 0 ? "no" : journal.open.length;
  throw new SagaError(
    "not-found",
    entry.blocker === undefined
      ? `The story ${storyId} has ${open} open questions.`
      : `The story ${storyId} has no open question ${entry.blocker}.`,
    {
      hint:
        only === undefined
          ? "There is nothing to answer."
          : `Name one of them: ${[only, ...others].join(", ")}.`,
    },
  );
}
