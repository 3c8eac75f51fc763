// The story's own files, held in memory while an agent that could change them is at work beside them.
// One that is gone or makes no sense is put back as it was, with the status that was seen; in one that
// makes sense, what the gate goes by is. Tasks are added by Saga alone while a worker has the story.

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

export interface HeldDefinition {
  /** As it is held, and judged. */
  readonly story: () => Story;
  /** What had to be put back, in words. */
  readonly mend: () => readonly string[];
  /** What is known about the story now. */
  readonly learn: (fields: Fields) => void;
  /** Tasks, by id, as Saga itself has written them: new ones, or others than before. */
  readonly learnTasks: (tasks: ReadonlyMap<string, Fields>) => void;
  /** All of it as people have changed it elsewhere. */
  readonly replace: (story: StoryRecord) => void;
}

/** What judges the agent, or says what it is to be judged: not its own to change. */
const GUARDED = {
  story: ["checks", "needsTesting", "needsReview", "writeFiles", "doneWhen", "avoid", "branch"],
  task: ["checks", "writeFiles", "blockedBy", "doneWhen", "splitFrom"],
} as const;
const SCHEMAS = { story: storySchema, task: taskSchema } as const;
type Kind = keyof typeof GUARDED;

const STORY = "story.json";

export function holdDefinition(story: StoryRecord, board: TaskStates): HeldDefinition {
  const { folder } = story;
  let storyFields = story.fields;
  let { taskFields } = story;
  return {
    story: () => storySchema.parse(storyFields),
    learn(fields) {
      storyFields = { ...storyFields, ...fields };
    },
    learnTasks(tasks) {
      taskFields = new Map([...taskFields, ...tasks]);
    },
    replace(other) {
      storyFields = other.fields;
      ({ taskFields } = other);
    },
    mend() {
      requireOwnFolder(folder);
      const tasks = [...taskFields].map(
        ([id, fields]) => [`${id}.json`, "task", { ...fields, status: board.status(id) }] as const,
      );
      const held = [[STORY, "story", storyFields] as const, ...tasks];
      return [
        ...held.flatMap(([name, kind, fields]) => putBack(folder, name, kind, fields) ?? []),
        ...removeOthers(folder, new Set(held.map(([name]) => name))),
      ];
    },
  };
}

function putBack(folder: string, name: string, kind: Kind, known: Fields): string | undefined {
  const file = join(folder, name);
  const text = readOr(file);
  const found = parsed(text);
  const isOwn = found?.["id"] === known["id"] && SCHEMAS[kind].safeParse(found).success;
  if (!found || !isOwn) {
    writeDurably(file, formatDocument(known));
    return name;
  }
  const changed = GUARDED[kind].filter((field) => !isSame(found[field], known[field]));
  if (changed.length === 0) return undefined;
  const others = Object.entries(found).filter(([field]) => !includes(changed, field));
  const before = Object.entries(known).filter(([field]) => includes(changed, field));
  writeDurably(file, formatDocument(Object.fromEntries([...others, ...before]), text));
  return `${name} (${changed.join(", ")})`;
}

/** More than a person writes by hand: what is removed is in the run's record. */
const MAX_SHOWN = 4_000;

/** A folder of such a name is nobody's task; what may lie in it stays. */
function removeOthers(folder: string, held: ReadonlySet<string>): string[] {
  const strangers = listFolder(folder).filter(
    (entry) => /^[^.].*\.json$/.test(entry.name) && !held.has(entry.name) && !entry.isDirectory(),
  );
  return strangers.map(({ name }) => {
    const text = readOr(join(folder, name));
    rmSync(join(folder, name), { force: true });
    return `${name} (removed, because only Saga adds tasks during a run; it said ${text.trim().slice(0, MAX_SHOWN)})`;
  });
}

function readOr(file: string): string {
  try {
    return readOwnTextIfThere(file) ?? "";
  } catch {
    return "";
  }
}

function parsed(text: string): Fields | undefined {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? (value as Fields) : undefined;
}

/** Flags, texts and lists of texts. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const includes = (names: readonly string[], name: string): boolean => names.includes(name);

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
