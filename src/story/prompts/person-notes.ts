// Notes that a person writes to the agent of a story (`saga note`). They are kept in the story's journal: a running agent
// gets a new one with its next tool call, and every new conversation gets all of them with its prompt.

import type { Journal, JournalEntry } from "../definition/journal.ts";

/** The notes in the prompt of a new conversation. */
export function promptNotes(journal: Journal): string | undefined {
  const notes = notesIn(journal);
  return notes.length === 0
    ? undefined
    : ["Notes from a person, oldest first:", ...notes.map(item)].join("\n");
}

/** What a running agent is delivered of new notes. */
export const noteForAgent = (notes: readonly JournalEntry[]): string =>
  [
    "A person wrote you a note while you work. Take it into account from here on:",
    ...notes.map(item),
  ].join("\n");

/** The notes that the agent has not got yet. */
export const newNotes = (
  journal: Journal,
  delivered: ReadonlySet<string>,
): readonly JournalEntry[] => notesIn(journal).filter((note) => !delivered.has(noteKey(note)));

export const notesIn = ({ entries }: Journal): readonly JournalEntry[] =>
  entries.filter(({ kind }) => kind === "note");

/** Two notes of the same millisecond differ in their text. */
export const noteKey = ({ at, title, body }: JournalEntry): string => `${at} ${title}\n${body}`;

/** The text of an entry as an item of a list. */
export const entryText = (entry: JournalEntry | undefined): string =>
  [entry?.title, entry?.body]
    .filter(Boolean)
    .join("\n  ")
    .replaceAll(/\n(?! {2})/g, "\n  ");

const item = (note: JournalEntry): string => `- ${entryText(note)}`;
