// Passes a person's new notes on to the agent while it works, from the story's journal.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { ifThere, readOwnTextIfThere } from "../../machine/files/files.ts";
import { messageOf } from "../../errors.ts";
import { parseJournal, type Journal } from "../../story/definition/journal.ts";
import { newNotes, noteForAgent, noteKey, notesIn } from "../../story/prompts/person-notes.ts";
import type { RunRecord } from "../../story/state/run-record.ts";

export interface NoteWatch {
  /** Called before each tool call. Returned once. */
  readonly noteForAgent: () => string | undefined;
}

interface WatchedNotes {
  /** The story's folder in its worktree. */
  readonly folder: string;
  /** What the current conversation has got. Survives a resumed conversation. */
  readonly delivered: Set<string>;
  readonly record: Pick<RunRecord, "note" | "warn">;
}

export function watchNotes({ folder, delivered, record }: WatchedNotes): NoteWatch {
  const file = join(folder, "journal.md");
  let lastVersion: string | undefined;
  return {
    noteForAgent() {
      try {
        const version = versionOf(file);
        // Most calls find the journal as it was: reading it each time would slow them down.
        if (version === lastVersion) return undefined;
        lastVersion = version;
        const notes = newNotes(parseJournal(readOwnTextIfThere(file) ?? ""), delivered);
        if (notes.length === 0) return undefined;
        for (const note of notes) {
          delivered.add(noteKey(note));
          record.note({ type: "note.delivered", title: note.title });
        }
        return noteForAgent(notes);
      } catch (error) {
        record.warn(`Notes could not be read: ${messageOf(error)}`);
        return undefined;
      }
    },
  };
}

/** The notes that come with the prompt. */
export function deliverWithPrompt(
  { delivered, record }: Omit<WatchedNotes, "folder">,
  journal: Journal,
): void {
  for (const note of notesIn(journal)) {
    if (!delivered.has(noteKey(note))) record.note({ type: "note.delivered", title: note.title });
    delivered.add(noteKey(note));
  }
}

/** The journal is replaced by a rename at each entry. */
const versionOf = (file: string): string | undefined =>
  ifThere(() => {
    const { ino, size, mtimeMs } = lstatSync(file);
    return `${ino} ${size} ${mtimeMs}`;
  });
