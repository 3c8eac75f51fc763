// The story's own files, held in memory while an agent that could change them works beside them. A file
// that is deleted or invalid is restored as it was, with the status that the worker knows. In a valid
// file only the fields that the gate relies on are restored. During a run only Saga adds tasks.

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
import type { StoryRecord } from "../store/project/read.ts";
import { storySchema, type Story } from "../story/definition/story.ts";
import { taskSchema } from "../story/definition/task.ts";
import type { TaskStates } from "./task-board.ts";

export interface GuardedDefinition {
  /** The story as held in memory; the gate judges this. */
  readonly story: () => Story;
  /** Restores the files, and returns what had to be restored, in words. */
  readonly restore: () => readonly string[];
  /** Fields of the story that Saga has written. */
  readonly update: (fields: Fields) => void;
  /** Tasks, by id, that Saga has added or changed. */
  readonly updateTasks: (tasks: ReadonlyMap<string, Fields>) => void;
  /** The whole story, as people have changed it elsewhere. */
  readonly replace: (story: StoryRecord) => void;
}

/** The fields that the agent is judged by: it must not change them. */
const GUARDED = {
  story: ["checks", "needsTesting", "needsReview", "writeFiles", "doneWhen", "avoid", "branch"],
  task: ["checks", "writeFiles", "blockedBy", "doneWhen", "splitFrom"],
} as const;
const SCHEMAS = { story: storySchema, task: taskSchema } as const;
type Kind = keyof typeof GUARDED;

const STORY = "story.json";

export function guardDefinition(story: StoryRecord, board: TaskStates): GuardedDefinition {
  const { folder } = story;
  let storyFields = story.fields;
  let { taskFields } = story;
  return {
    story: () => storySchema.parse(storyFields),
    update(fields) {
      storyFields = { ...storyFields, ...fields };
    },
    updateTasks(tasks) {
      taskFields = new Map([...taskFields, ...tasks]);
    },
    replace(other) {
      storyFields = other.fields;
      ({ taskFields } = other);
    },
    restore() {
      requireOwnFolder(folder);
      const tasks = [...taskFields].map(
        ([id, fields]) => [`${id}.json`, "task", { ...fields, status: board.status(id) }] as const,
      );
      const documents = [[STORY, "story", storyFields] as const, ...tasks];
      return [
        ...documents.flatMap(
          ([name, kind, fields]) => restoreFile(folder, name, kind, fields) ?? [],
        ),
        ...removeUnknownTasks(folder, new Set(documents.map(([name]) => name))),
      ];
    },
  };
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
