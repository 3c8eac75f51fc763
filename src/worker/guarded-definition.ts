// Restores the story's own files while an agent that could change them works beside them. A file that is deleted or
// invalid is restored as it was, with the status that the worker knows. In a valid file only the fields that the gate
// relies on are restored. During a run only Saga adds tasks.

import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../errors.ts";
import {
  ifThere,
  listFolder,
  makeFolder,
  readOwnTextIfThere,
  writeDurably,
} from "../machine/files/files.ts";
import { parseJson } from "../text/parse-json.ts";
import { formatDocument, type Fields } from "../store/project/json-text.ts";
import { storySchema } from "../story/definition/story.ts";
import { taskSchema } from "../story/definition/task.ts";

/** What a worker knows of a story's files: the fields of the story, and of its tasks by id. */
export interface KnownDefinition {
  readonly story: Fields;
  readonly tasks: ReadonlyMap<string, Fields>;
}

/** The fields that the agent is judged by: it must not change them. */
const GUARDED = {
  story: ["checks", "needsTesting", "needsReview", "writeFiles", "doneWhen", "avoid", "branch"],
  task: ["checks", "writeFiles", "blockedBy", "doneWhen", "splitFrom"],
} as const;
const SCHEMAS = { story: storySchema, task: taskSchema } as const;
type Kind = keyof typeof GUARDED;

const STORY = "story.json";

/** Returns what had to be restored, in words. */
export function restoreDefinition(folder: string, { story, tasks }: KnownDefinition): string[] {
  requireOwnFolder(folder);
  const documents = [
    [STORY, "story", story] as const,
    ...[...tasks].map(([id, fields]) => [`${id}.json`, "task", fields] as const),
  ];
  return [
    ...documents.flatMap(([name, kind, fields]) => restoreFile(folder, name, kind, fields) ?? []),
    ...removeUnknownTasks(folder, new Set(documents.map(([name]) => name))),
  ];
}

function restoreFile(folder: string, name: string, kind: Kind, known: Fields): string | undefined {
  const file = join(folder, name);
  const text = readOrEmpty(file);
  const found = parseFields(text);
  const isValid = found?.["id"] === known["id"] && SCHEMAS[kind].safeParse(found).success;
  if (!found || !isValid) {
    writeDurably(file, formatDocument(known));
    return name;
  }
  const changed = GUARDED[kind].filter((field) => !isSame(found[field], known[field]));
  if (changed.length === 0) return undefined;
  const others = Object.entries(found).filter(([field]) => !includes(changed, field));
  const original = Object.entries(known).filter(([field]) => includes(changed, field));
  writeDurably(file, formatDocument(Object.fromEntries([...others, ...original]), text));
  return `${name} (${changed.join(", ")})`;
}

/** Longer than any file written by hand: the run's record holds all of a removed file. */
const MAX_SHOWN = 4_000;

/** Leaves folders with such a name alone: they cannot be tasks. */
function removeUnknownTasks(folder: string, known: ReadonlySet<string>): string[] {
  const unknown = listFolder(folder).filter(
    (entry) => /^[^.].*\.json$/.test(entry.name) && !known.has(entry.name) && !entry.isDirectory(),
  );
  return unknown.map(({ name }) => {
    const text = readOrEmpty(join(folder, name));
    rmSync(join(folder, name), { force: true });
    return `${name} (removed, because only Saga adds tasks during a run; its content was ${text.trim().slice(0, MAX_SHOWN)})`;
  });
}

function readOrEmpty(file: string): string {
  try {
    return readOwnTextIfThere(file) ?? "";
  } catch {
    return "";
  }
}

function parseFields(text: string): Fields | undefined {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? (value as Fields) : undefined;
}

/** Fields are booleans, strings or lists of strings. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const includes = (names: readonly string[], name: string): boolean => names.includes(name);

/** A symbolic link in its place could lead anywhere. */
function requireOwnFolder(folder: string): void {
  const found = ifThere(() => lstatSync(folder));
  if (found === undefined) makeFolder(folder);
  else if (!found.isDirectory()) {
    throw new SagaError("unsafe-path", `${folder} is not a folder any more.`, {
      hint: "Something else has replaced it: check it, and remove it.",
    });
  }
}
