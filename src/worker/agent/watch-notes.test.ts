import { mkdirSync } from "node:fs";
import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { appendEntry, parseJournal, type NewEntry } from "../../story/definition/journal.ts";
import type { StoryEvent } from "../../story/state/story-event.ts";
import { deliverWithPrompt, watchNotes } from "./watch-notes.ts";

function newJournal() {
  const project = newProject();
  const folder = `${project.path}/.saga/stories/a`;
  mkdirSync(folder, { recursive: true });
  let text = "";
  const events: StoryEvent[] = [];
  const record = {
    note: (event: StoryEvent) => void events.push(event),
    warn: (message: string) => events.push({ type: "warning", message }),
  };
  const add = (kind: NewEntry["kind"], title: string): void => {
    text = appendEntry(text, "A", { kind, title, body: "", at: "2026-11-15T21:48:00.000Z" });
    project.write(".saga/stories/a/journal.md", text);
  };
  return { project, folder, record, add, events, journal: () => parseJournal(text) };
}

it("an agent gets each note once, with its next tool call", () => {
  const { folder, record, add, events } = newJournal();
  const delivered = new Set<string>();
  const watch = watchNotes({ folder, delivered, record });
  expect(watch.noteForAgent()).toBeUndefined();
  add("decision", "Use argon2");
  expect(watch.noteForAgent()).toBeUndefined();
  add("note", "Keep the old route");
  expect(watch.noteForAgent()).toContain("- Keep the old route");
  expect(watch.noteForAgent()).toBeUndefined();
  add("note", "And test it");
  expect(watch.noteForAgent()).not.toContain("Keep the old route");
  // The same conversation, continued.
  expect(watchNotes({ folder, delivered, record }).noteForAgent()).toBeUndefined();
  expect(events).toEqual([
    { type: "note.delivered", title: "Keep the old route" },
    { type: "note.delivered", title: "And test it" },
  ]);
});

it("a note that came with the prompt is not repeated", () => {
  const { folder, record, add, events, journal } = newJournal();
  const delivered = new Set<string>();
  add("note", "Keep the old route");
  deliverWithPrompt({ delivered, record }, journal());
  expect(watchNotes({ folder, delivered, record }).noteForAgent()).toBeUndefined();
  expect(events).toHaveLength(1);
});

it("a journal that cannot be read does not stop the agent", () => {
  const { folder, record, events } = newJournal();
  mkdirSync(`${folder}/journal.md`);
  const watch = watchNotes({ folder, delivered: new Set(), record });
  expect(watch.noteForAgent()).toBeUndefined();
  expect(events).toMatchObject([{ type: "warning" }]);
});
