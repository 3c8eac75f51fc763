import { expect, it } from "vitest";
import { appendEntry, parseJournal, type NewEntry } from "../definition/journal.ts";
import { newNotes, noteForAgent, noteKey, notesIn, promptNotes } from "./person-notes.ts";

const entry = (kind: NewEntry["kind"], title: string, body = ""): NewEntry => ({
  kind,
  title,
  body,
  at: "2026-11-15T21:48:00.000Z",
});

const journalOf = (...entries: readonly NewEntry[]) =>
  parseJournal(entries.reduce((text, one) => appendEntry(text, "Log in", one), ""));

const journal = journalOf(
  entry("decision", "Use argon2"),
  entry("note", "Keep the old route", "Clients use it.\nUntil March."),
  entry("note", "And test it"),
);

it("a prompt lists all notes with their text, and nothing without notes", () => {
  expect(promptNotes(journal)).toBe(
    [
      "Notes from a person, oldest first:",
      "- Keep the old route",
      "  Clients use it.",
      "  Until March.",
      "- And test it",
    ].join("\n"),
  );
  expect(promptNotes(journalOf(entry("decision", "Use argon2")))).toBeUndefined();
});

it("a running agent gets only notes that it has not got yet", () => {
  const [first, second] = notesIn(journal);
  if (!first || !second) throw new Error("The notes were not read.");
  expect(newNotes(journal, new Set())).toEqual([first, second]);
  expect(newNotes(journal, new Set([noteKey(first)]))).toEqual([second]);
  expect(newNotes(journal, new Set([first, second].map(noteKey)))).toEqual([]);
  expect(noteForAgent([second])).toContain("- And test it");
});
