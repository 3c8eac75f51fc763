// Reads the files of a project. One bad file never hides the others: it is reported as a problem, and the story or
// epic that it belongs to is left out.

import { join } from "node:path";
import { SagaError, type Problem } from "../../errors.ts";
import {
  errorCode,
  isInside,
  listNames,
  readOwnText,
  readText,
} from "../../machine/files/files.ts";
import { epicSchema, type Epic } from "../../story/definition/epic.ts";
import { tasksInOrder } from "../../story/definition/graph.ts";
import { storySchema, type Story } from "../../story/definition/story.ts";
import {
  taskOutlineSchema,
  taskSchema,
  usualOutline,
  type Task,
  type TaskOutline,
} from "../../story/definition/task.ts";
import { readEpicNotes } from "./epic-notes.ts";
import { parseDocument, repeatedKeys, type Format } from "./document.ts";
import type { Fields } from "./json-text.ts";
import { folderIds, outside, type ReadProblems, type StoryPlace } from "./find.ts";
import { epicFile, epicsFolder, type Layout } from "./layout.ts";
import { isLegacyFolder } from "./legacy-markdown.ts";
import { unreadable } from "../../machine/files/unreadable.ts";

/** A story with as much of its tasks as an overview shows. */
export interface StoryOutline extends StoryPlace {
  readonly story: Story;
  readonly tasks: readonly TaskOutline[];
  /** The text of its journal. Undefined when it has none. */
  readonly journal: string | undefined;
}

export interface StoryRecord extends StoryOutline {
  readonly tasks: readonly Task[];
  /** The fields as they are in the files, unknown ones too, to be written back with a change. */
  readonly fields: Fields;
  readonly taskFields: ReadonlyMap<string, Fields>;
}

export interface EpicRecord {
  readonly epic: Epic;
  readonly fields: Fields;
}

/** Undefined when its files are invalid: the problems are in `reading`. */
export function readStory(
  at: Layout,
  place: StoryPlace,
  reading: ReadProblems,
): StoryRecord | undefined {
  const taskFields = new Map<string, Fields>();
  const found = readFolder(at, place, reading, {
    format: { schema: taskSchema },
    onTask: (task, fields) => void taskFields.set(task.id, fields),
  });
  return found && { ...place, ...found, tasks: tasksInOrder(found.tasks), taskFields };
}

const OUTLINE: Format<TaskOutline> = { schema: taskOutlineSchema, usual: usualOutline };

export function readOutline(
  at: Layout,
  place: StoryPlace,
  reading: ReadProblems,
): StoryOutline | undefined {
  const found = readFolder(at, place, reading, { format: OUTLINE });
  if (!found) return undefined;
  const { story, tasks, journal } = found;
  return { ...place, story, tasks, journal };
}

interface TaskReading<T> {
  readonly format: Format<T>;
  readonly onTask?: (task: T, fields: Fields) => void;
}

function readFolder<T extends TaskOutline>(
  at: Layout,
  place: StoryPlace,
  reading: ReadProblems,
  { format, onTask }: TaskReading<T>,
): { story: Story; fields: Fields; tasks: T[]; journal: string | undefined } | undefined {
  const before = reading.problems.length;
  const names = namesOrReport(place.folder, reading);
  if (names === undefined) return undefined;
  if (isLegacyFolder(names, "story", place.source)) {
    reading.legacy.push(place.id);
    return undefined;
  }
  let story: { value: Story; fields: Fields } | undefined;
  const tasks: T[] = [];
  let journal: string | undefined;
  for (const name of names) {
    const file = `${place.folder}/${name}`;
    if (name === "journal.md") journal = readOrReport(at, file, reading);
    if (!name.endsWith(".json") || name.startsWith(".")) continue;
    if (name === "story.json") {
      story = readNamed(
        at,
        { file, name: place.id, carrier: "folder" },
        { schema: storySchema },
        reading,
      );
      continue;
    }
    const id = name.slice(0, -".json".length);
    const task = readNamed(at, { file, name: id, carrier: "file" }, format, reading);
    if (!task) continue;
    tasks.push(task.value);
    onTask?.(task.value, task.fields);
  }
  if (!names.includes("story.json")) {
    const file = join(place.folder, "story.json");
    reading.problems.push(missingFile(file, `The story ${place.id} has no story.json.`));
  }
  if (!story || reading.problems.length > before) return undefined;
  return { story: story.value, fields: story.fields, tasks, journal };
}

export function readEpics(at: Layout, reading: ReadProblems): Map<string, EpicRecord> {
  const epics = new Map<string, EpicRecord>();
  for (const id of folderIds(at, epicsFolder(at), "epic", reading)) {
    const record = readEpic(at, id, reading);
    if (record) epics.set(id, record);
  }
  return epics;
}

export function readEpic(at: Layout, id: string, reading: ReadProblems): EpicRecord | undefined {
  const file = epicFile(at, id);
  const names = namesOrReport(join(epicsFolder(at), id), reading);
  if (names === undefined || isLegacyFolder(names, "epic")) return undefined;
  if (!names.includes("epic.json")) {
    reading.problems.push(missingFile(file, `The epic ${id} has no epic.json.`));
    return undefined;
  }
  const named = { file, name: id, carrier: "folder" } as const;
  const document = readNamed(at, named, { schema: epicSchema }, reading);
  if (document === undefined) return undefined;
  const { branch, pr } = readEpicNotes(at, id);
  const noted = { ...(branch !== undefined && { branch }), ...(pr !== undefined && { pr }) };
  return { epic: { ...noted, ...document.value }, fields: document.fields };
}

interface NamedFile {
  readonly file: string;
  /** The name of the file or folder, which its id must be. */
  readonly name: string;
  readonly carrier: "file" | "folder";
}

function readNamed<T extends { id: string }>(
  at: Layout,
  { file, name, carrier }: NamedFile,
  format: Format<T>,
  reading: ReadProblems,
): { value: T; fields: Fields } | undefined {
  const text = readOrReport(at, file, reading);
  if (text === undefined) return undefined;
  if (reading.isThorough) reading.problems.push(...repeatedKeys(file, text));
  const document = parseDocument(file, text, format);
  if (document.problems) {
    reading.problems.push(...document.problems);
    return undefined;
  }
  if (document.value.id === name) return document;
  reading.problems.push({
    file,
    line: text.slice(0, text.indexOf('"id"')).split("\n").length,
    severity: "error",
    message: `The id is ${JSON.stringify(document.value.id)}, but the ${carrier} is called ${JSON.stringify(name)}.`,
    fix: `Rename the ${carrier} or change the id, so that they are the same.`,
  });
  return undefined;
}

export function namesOrReport(folder: string, reading: ReadProblems): string[] | undefined {
  try {
    return listNames(folder);
  } catch (error) {
    if (!(error instanceof SagaError)) throw error;
    reading.problems.push(unreadable(folder, error));
    return undefined;
  }
}

export function readOrReport(at: Layout, file: string, reading: ReadProblems): string | undefined {
  try {
    return readFollowing(at, file);
  } catch (error) {
    const isLink = errorCode(error) === "ELOOP";
    reading.problems.push(isLink ? outside(file) : unreadable(file, error));
    return undefined;
  }
}

/** Follows a link only if it stays inside `.saga`. */
function readFollowing(at: Layout, file: string): string {
  try {
    return readOwnText(file);
  } catch (error) {
    if (errorCode(error) !== "ELOOP" || !isInside(at.saga, file)) throw error;
    return readText(file);
  }
}

const missingFile = (file: string, message: string): Problem => ({
  file,
  severity: "error",
  message,
  fix: "Create the file or remove the folder.",
});
