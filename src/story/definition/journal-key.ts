// Keys of the journal entries that Saga looks up later: a question that it may have asked already, an answer that
// changes what it does.

import type { Journal, JournalEntry } from "./journal.ts";

export type EntryKey =
  /** The question into which parts a task is split, if at all. */
  | `split ${string}`
  /** The answer to that: a person split the task. */
  | "split-by-hand"
  /** All tasks are completed, and no file is changed. */
  | "nothing-changed"
  /** The story conflicts with its target again. */
  | "conflict"
  /** The story fails together with its target again. */
  | "landing"
  /** The work was discarded, into the snapshot of this number if there was any. */
  | "discarded"
  | `discarded ${number}`;

export const hasKey = (entry: Pick<JournalEntry, "key">, key: EntryKey): boolean =>
  entry.key === key;

/** The open question with this key. */
export const openEntry = ({ open }: Journal, key: EntryKey): JournalEntry | undefined =>
  open.find((entry) => hasKey(entry, key));

/** The answers to all questions with this key. */
export const answersTo = ({ entries }: Journal, key: EntryKey): readonly JournalEntry[] => {
  const questions = entries.filter((entry) => entry.kind === "blocker" && hasKey(entry, key));
  const numbers = new Set(questions.map(({ blocker }) => blocker));
  return entries.filter(({ kind, blocker }) => kind === "resolution" && numbers.has(blocker));
};
