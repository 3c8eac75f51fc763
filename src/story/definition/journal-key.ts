// The entries of a journal that Saga itself asks about later: a question it may have asked already, an answer
// that changes what it does.

import type { Journal, JournalEntry } from "./journal.ts";
import { legacyEntryKey } from "./legacy-journal-key.ts";

export type EntryKey =
  /** Which parts a task becomes, or whether it stays whole. */
  | `split ${string}`
  /** The answer to that, when a person split the task. */
  | "split-by-hand"
  /** All tasks are completed, and no file is changed. */
  | "nothing-changed"
  /** The story conflicts with its target again. */
  | "conflict"
  /** The work was discarded, into the snapshot of this number if there was any. */
  | "discarded"
  | `discarded ${number}`;

export const hasKey = (entry: Omit<JournalEntry, "line">, key: EntryKey): boolean =>
  (entry.key ?? legacyEntryKey(entry)) === key;

/** The open question with this key. */
export const openEntry = ({ open }: Journal, key: EntryKey): JournalEntry | undefined =>
  open.find((entry) => hasKey(entry, key));

/** What was answered to questions with this key. */
export const answersTo = ({ entries }: Journal, key: EntryKey): readonly JournalEntry[] => {
  const asked = entries.filter((entry) => entry.kind === "blocker" && hasKey(entry, key));
  const numbers = new Set(asked.map(({ blocker }) => blocker));
  return entries.filter(({ kind, blocker }) => kind === "resolution" && numbers.has(blocker));
};
