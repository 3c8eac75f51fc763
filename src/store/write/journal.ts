// The journal's file: appended to by writing it whole, so that no entry is ever half there.

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
  const folder = dirname(at.file);
  const { story, journal: before = "" } = requireStory(at, storyId);
  const blocker = numberOf(entry, parseJournal(before), storyId);
  const after = appendEntry(before, story.title, { ...entry, blocker });
  commit(at, [{ path: journalFile(folder), text: after }]);
  return { ...entry, blocker, line: parseJournal(after).entries.at(-1)?.line ?? 0 };
}

/** A blocker gets the next number; a resolution the one it names, or the only one that is open. */
function numberOf(entry: NewEntry, journal: Journal, storyId: string): string | undefined {
  if (entry.kind === "blocker") return nextBlocker(journal);
  if (entry.kind !== "resolution") return undefined;
  const [only, ...others] = journal.open.map((one) => one.blocker);
  if (entry.blocker === undefined && others.length === 0 && only !== undefined) return only;
  if (journal.open.some((one) => one.blocker === entry.blocker)) return entry.blocker;
  throw new SagaError(
    "not-found",
    entry.blocker === undefined
      ? `The story ${storyId} has ${journal.open.length} open blockers.`
      : `The story ${storyId} has no open blocker ${entry.blocker}.`,
    {
      hint:
        only === undefined
          ? "There is nothing to resolve."
          : `Name one of them: ${[only, ...others].join(", ")}.`,
    },
  );
}
