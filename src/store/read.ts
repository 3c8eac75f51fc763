// Reading the files of a project. One bad file never hides the others: it becomes a problem, and
// whatever it belongs to is left out.

import { existsSync, lstatSync, type Dirent } from "node:fs";
import { join } from "node:path";
import type { Problem } from "../errors.ts";
import { errorCode, ifThere, isInside, listFolder, readText } from "../machine/files.ts";
import { epicSchema, type Epic } from "../story/epic.ts";
import { idFault, storyOfWorktree, suggestId, type IdKind } from "../story/names.ts";
import { storySchema, type Story } from "../story/story.ts";
import { taskSchema, type Task } from "../story/task.ts";
import { parseDocument, repeatedKeys, type Fields } from "./document.ts";
import {
  archiveFolder,
  epicFile,
  epicsFolder,
  isWorktree,
  storiesFolder,
  worktreesFolder,
  type Layout,
} from "./layout.ts";
import type * as z from "zod";

/** Which copy of a story is the true one: the worktree's, while there is one. */
export type StorySource = "project" | "worktree" | "archive";

export interface StoryPlace {
  readonly id: string;
  readonly folder: string;
  readonly source: StorySource;
}

export interface StoryRecord extends StoryPlace {
  readonly story: Story;
  readonly fields: Fields;
  readonly tasks: readonly Task[];
  readonly taskFields: ReadonlyMap<string, Fields>;
  readonly hasJournal: boolean;
}

export interface EpicRecord {
  readonly epic: Epic;
  readonly fields: Fields;
}

/** Collects what is wrong while reading; thorough readers look for more than they need. */
export interface Reading {
  readonly problems: Problem[];
  readonly isThorough: boolean;
}

export const newReading = (isThorough = false): Reading => ({ problems: [], isThorough });

/** Every story that is not archived, by id, with the place of its true copy. */
export function findStories(at: Layout, reading: Reading): Map<string, StoryPlace> {
  const places = new Map<string, StoryPlace>();
  for (const id of folderIds(at, storiesFolder(at), "story", reading)) {
    places.set(id, { id, folder: join(storiesFolder(at), id), source: "project" });
  }
  for (const { id, path } of findWorktrees(at)) {
    const folder = join(path, ".saga", "stories", id);
    if (existsSync(join(folder, "story.json"))) places.set(id, { id, folder, source: "worktree" });
  }
  return places;
}

/** The place of one story, without reading the others. */
export function findStory(at: Layout, id: string): StoryPlace | undefined {
  for (const name of new Set([id, `stories/${id}`, id.replace("--", "/")])) {
    const path = join(worktreesFolder(at), name);
    const folder = join(path, ".saga", "stories", id);
    if (isWorktree(path) && existsSync(join(folder, "story.json"))) {
      return { id, folder, source: "worktree" };
    }
  }
  const folder = join(storiesFolder(at), id);
  if (existsSync(folder)) return { id, folder, source: "project" };
  const archived = join(archiveFolder(at), id);
  return existsSync(archived) ? { id, folder: archived, source: "archive" } : undefined;
}

export interface FoundWorktree {
  readonly id: string;
  readonly path: string;
}

/** Story worktrees in every layout: `<id>`, and the older `stories/<id>` and `<epic>/<story>`. */
export function findWorktrees(at: Layout): FoundWorktree[] {
  return foldersIn(worktreesFolder(at)).flatMap((outer) => {
    const path = join(worktreesFolder(at), outer);
    if (isWorktree(path)) return named(outer, path);
    return foldersIn(path).flatMap((inner) =>
      isWorktree(join(path, inner)) ? named(`${outer}/${inner}`, join(path, inner)) : [],
    );
  });
  function named(inWorktrees: string, path: string): FoundWorktree[] {
    const id = storyOfWorktree(`.saga/worktrees/${inWorktrees}`);
    return id === undefined ? [] : [{ id, path }];
  }
}

export const findArchived = (at: Layout, reading: Reading): string[] =>
  folderIds(at, archiveFolder(at), "story", reading);

/** Nothing when its files are wrong: then the reading has the problems. */
export function readStory(
  at: Layout,
  place: StoryPlace,
  reading: Reading,
): StoryRecord | undefined {
  const before = reading.problems.length;
  const entries = listFolder(place.folder);
  if (isLegacy(entries, "story")) return undefined;
  const storyFile = join(place.folder, "story.json");
  if (!entries.some((entry) => entry.name === "story.json")) {
    reading.problems.push(missingFile(storyFile, `The story ${place.id} has no story.json.`));
  }
  let story: { value: Story; fields: Fields } | undefined;
  const tasks: Task[] = [];
  const taskFields = new Map<string, Fields>();
  let hasJournal = false;
  for (const entry of entries) {
    const { name } = entry;
    if (name === "journal.md") hasJournal = true;
    if (!name.endsWith(".json") || name.startsWith(".")) continue;
    const file = join(place.folder, name);
    if (leadsOut(at, entry, file, reading)) continue;
    if (name === "story.json") {
      story = readNamed(file, storySchema, place.id, "folder", reading);
      continue;
    }
    const taskId = name.slice(0, -".json".length);
    const task = readNamed(file, taskSchema, taskId, "file", reading);
    if (!task) continue;
    tasks.push(task.value);
    taskFields.set(taskId, task.fields);
  }
  if (!story || reading.problems.length > before) return undefined;
  return { ...place, story: story.value, fields: story.fields, tasks, taskFields, hasJournal };
}

export function readEpics(at: Layout, reading: Reading): Map<string, EpicRecord> {
  const epics = new Map<string, EpicRecord>();
  for (const id of folderIds(at, epicsFolder(at), "epic", reading)) {
    const record = readEpic(at, id, reading);
    if (record) epics.set(id, record);
  }
  return epics;
}

export function readEpic(at: Layout, id: string, reading: Reading): EpicRecord | undefined {
  const file = epicFile(at, id);
  const entries = listFolder(join(epicsFolder(at), id));
  if (isLegacy(entries, "epic")) return undefined;
  const entry = entries.find(({ name }) => name === "epic.json");
  if (!entry) {
    reading.problems.push(missingFile(file, `The epic ${id} has no epic.json.`));
    return undefined;
  }
  if (leadsOut(at, entry, file, reading)) return undefined;
  const document = readNamed(file, epicSchema, id, "folder", reading);
  return document && { epic: document.value, fields: document.fields };
}

/** The older markdown form: not ours to judge. */
const isLegacy = (entries: readonly Dirent[], kind: "story" | "epic"): boolean =>
  !entries.some(({ name }) => name === `${kind}.json`) &&
  entries.some(({ name }) => name === `${kind}.md` || name === "stories");

/** Reads a file whose id must be its own name, or its folder's. */
function readNamed<T extends { id: string }>(
  file: string,
  schema: z.ZodType<T>,
  name: string,
  carrier: "file" | "folder",
  reading: Reading,
): { value: T; fields: Fields } | undefined {
  const text = readOrReport(file, reading);
  if (text === undefined) return undefined;
  if (reading.isThorough) reading.problems.push(...repeatedKeys(file, text));
  const document = parseDocument(file, text, schema);
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
    fix: `Rename the ${carrier} or change the id: they must be the same.`,
  });
  return undefined;
}

function readOrReport(file: string, reading: Reading): string | undefined {
  try {
    return readText(file);
  } catch (error) {
    reading.problems.push({
      file,
      severity: "error",
      message: `The file cannot be read (${errorCode(error) ?? String(error)}).`,
      fix: "Check what it is and who may read it.",
    });
    return undefined;
  }
}

/** The ids of the folders in a folder. A name that breaks the rules is a problem, not an id. */
function folderIds(at: Layout, folder: string, kind: IdKind, reading: Reading): string[] {
  if (!isInside(at.saga, folder)) {
    reading.problems.push(outside(folder));
    return [];
  }
  return listFolder(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".")) return [];
    if (entry.isSymbolicLink() && leadsOut(at, entry, path, reading)) return [];
    if (!entry.isDirectory() && !entry.isSymbolicLink()) return [];
    const fault = idFault(kind, entry.name);
    if (fault === undefined) return [entry.name];
    const suggestion = suggestId(kind, entry.name);
    reading.problems.push({
      file: path,
      severity: "error",
      message: `The folder name ${JSON.stringify(entry.name)} ${fault}.`,
      fix: suggestion ? `Rename it to ${suggestion}.` : "Rename it.",
    });
    return [];
  });
}

function leadsOut(at: Layout, entry: Dirent, path: string, reading: Reading): boolean {
  if (!entry.isSymbolicLink() || isInside(at.saga, path)) return false;
  reading.problems.push(outside(path));
  return true;
}

const outside = (file: string): Problem => ({
  file,
  severity: "error",
  message: "This is a link that leads out of .saga, and is not followed.",
  fix: "Replace it by the file or folder itself.",
});

const missingFile = (file: string, message: string): Problem => ({
  file,
  severity: "error",
  message,
  fix: "Write it, or remove the folder.",
});

const foldersIn = (folder: string): string[] =>
  listFolder(folder)
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

/** Folders in `worktrees/` that are no worktrees: nothing runs there, and nothing is removed. */
export function foreignFolders(at: Layout): string[] {
  const known = new Set(findWorktrees(at).map((worktree) => worktree.path));
  return foldersIn(worktreesFolder(at))
    .map((name) => join(worktreesFolder(at), name))
    .filter(
      (path) => !known.has(path) && !foldersIn(path).some((one) => known.has(join(path, one))),
    )
    .filter((path) => ifThere(() => lstatSync(path)) !== undefined);
}

/** Names only, for completion: nothing is opened. */
export function storyAndEpicIds(at: Layout): { stories: string[]; epics: string[] } {
  const reading = newReading();
  return {
    stories: [...findStories(at, reading).keys()],
    epics: folderIds(at, epicsFolder(at), "epic", reading),
  };
}
