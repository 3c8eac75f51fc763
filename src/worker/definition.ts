// The story's own files, held in memory while an agent that could break them is at work beside them.
// One that is gone or makes no sense is put back as it was, with the status that was seen.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../errors.ts";
import { ifThere, makeFolder, readOwnTextIfThere, writeDurably } from "../machine/files.ts";
import { formatDocument, type Fields } from "../store/json-text.ts";
import type { StoryRecord } from "../store/read.ts";
import { storySchema } from "../story/story.ts";
import { taskSchema } from "../story/task.ts";
import type { Board } from "./board.ts";

export interface Definition {
  /** The names of the files that had to be put back. */
  readonly mend: () => readonly string[];
  /** What is known about the story now. */
  readonly learn: (fields: Fields) => void;
  /** Its tasks, by id, as Saga itself has written them. */
  readonly learnTasks: (tasks: ReadonlyMap<string, Fields>) => void;
}

export function holdDefinition(story: StoryRecord, board: Board): Definition {
  const { folder } = story;
  let storyFields = story.fields;
  let { taskFields } = story;
  return {
    learn(fields) {
      storyFields = { ...storyFields, ...fields };
    },
    learnTasks(tasks) {
      taskFields = tasks;
    },
    mend() {
      requireOwnFolder(folder);
      const isStory = (fields: unknown): boolean => storySchema.safeParse(fields).success;
      const isTask = (fields: unknown): boolean => taskSchema.safeParse(fields).success;
      const tasks = [...taskFields].map(
        ([id, fields]) => [`${id}.json`, { ...fields, status: board.status(id) }, isTask] as const,
      );
      return [["story.json", storyFields, isStory] as const, ...tasks].flatMap(
        ([name, fields, isSound]) => (putBack(join(folder, name), fields, isSound) ? [name] : []),
      );
    },
  };
}

function putBack(file: string, known: Fields, isSound: (fields: unknown) => boolean): boolean {
  const found = readOr(file);
  const isOwn = (found as Fields | undefined)?.["id"] === known["id"];
  if (isOwn && isSound(found)) return false;
  writeDurably(file, formatDocument(known));
  return true;
}

function readOr(file: string): unknown {
  try {
    return JSON.parse(readOwnTextIfThere(file) ?? "");
  } catch {
    return undefined;
  }
}

/** A link in its place could lead anywhere. */
function requireOwnFolder(folder: string): void {
  const found = ifThere(() => lstatSync(folder));
  if (found === undefined) makeFolder(folder);
  else if (!found.isDirectory()) {
    throw new SagaError("unsafe-path", `${folder} is no folder any more.`, {
      hint: "Someone has put something else in its place; look at it, and remove it.",
    });
  }
}
