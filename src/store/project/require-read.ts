// Reads one story or epic by its id, or throws an error that says why it cannot.

import { join } from "node:path";
import type { Layout } from "./layout.ts";
import { newReading } from "./find.ts";
import {
  namesOrReport,
  readEpic,
  readOrReport,
  readStory,
  type EpicRecord,
  type StoryRecord,
} from "./read.ts";
import { brokenFiles, notFound, requireEpicFile, requirePlace } from "./require.ts";

export function requireStory(at: Layout, storyId: string): StoryRecord {
  const reading = newReading();
  const record = readStory(at, requirePlace(at, storyId), reading);
  if (record) return record;
  throw reading.problems.length > 0 ? brokenFiles(reading.problems) : notFound("story", storyId);
}

/** Only the journal: the story's other files may be invalid. Empty if it has none. */
export function requireJournal(at: Layout, storyId: string): string {
  const reading = newReading();
  const { folder } = requirePlace(at, storyId);
  const hasJournal = namesOrReport(folder, reading)?.includes("journal.md");
  const file = join(folder, "journal.md");
  const text = hasJournal === false ? "" : hasJournal && readOrReport(at, file, reading);
  if (text !== undefined) return text;
  throw brokenFiles(reading.problems);
}

export function requireEpic(at: Layout, epicId: string): EpicRecord {
  requireEpicFile(at, epicId);
  const reading = newReading();
  const record = readEpic(at, epicId, reading);
  if (record) return record;
  throw brokenFiles(reading.problems);
}
