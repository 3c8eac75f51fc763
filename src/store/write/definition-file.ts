// The file that defines one story, epic or task, as a person edits it: reads its text, and replaces it with a valid
// one. Reads and writes the current copy, under the store's lock.

import { dirname, join } from "node:path";
import type { ZodType } from "zod";
import { SagaError, type Problem } from "../../errors.ts";
import { readOwnTextIfThere } from "../../machine/files/files.ts";
import {
  checkEpic,
  checkMembership,
  checkStory,
  checkTasks,
} from "../../story/definition/validate.ts";
import { epicSchema } from "../../story/definition/epic.ts";
import {
  explain,
  misnamedFields,
  type FieldProblem,
} from "../../story/definition/explain-error.ts";
import type { NewEntry } from "../../story/definition/journal.ts";
import { requireId } from "../../story/definition/names.ts";
import { storySchema, type Story } from "../../story/definition/story.ts";
import { taskSchema, type Task } from "../../story/definition/task.ts";
import { requireSettings } from "../project/config.ts";
import { locate, parseJson, repeatedKeys } from "../project/document.ts";
import { findArchived, findStories, newReading } from "../project/find.ts";
import type { Fields } from "../project/json-text.ts";
import type { Layout, WriteLock } from "../project/layout.ts";
import { storyLease } from "../leases/lease-names.ts";
import type { Leases } from "../leases/leases.ts";
import { readEpics } from "../project/read.ts";
import { notFound, requireEpicFile, requireLockInside } from "../project/require.ts";
import { requireStory } from "../project/require-read.ts";
import { storyFolder } from "./story-folder.ts";
import { withEntry } from "./journal.ts";
import { commit } from "./transaction.ts";
import { withFolderLock, type SearchedFolder } from "./write-lock.ts";

/** A task is named with its story. */
export type DefinitionName =
  | { readonly kind: "story" | "epic"; readonly id: string }
  | { readonly kind: "task"; readonly id: string; readonly story: string };

export interface DefinitionFile {
  readonly path: string;
  readonly text: string;
}

export interface NewText {
  /** The text that was edited. If the file has changed since, nothing is written. */
  readonly before: string;
  readonly after: string;
  /** The file to report problems for, if the person edits a copy. */
  readonly file?: string | undefined;
  /** Only checks it. */
  readonly isDryRun?: boolean | undefined;
  /** An entry for the story's journal, which is written together with the text or not at all. */
  readonly journal?: NewEntry | undefined;
}

const SCHEMAS = { story: storySchema, epic: epicSchema, task: taskSchema } as const;

export const definitionLabel = (name: DefinitionName): string =>
  name.kind === "task" ? `${name.story}/${name.id}` : name.id;

/** The story of a definition, or the epic's own id. */
export const storyOf = (name: DefinitionName): string =>
  name.kind === "task" ? name.story : name.id;

export function readDefinition(at: Layout, name: DefinitionName): DefinitionFile {
  const path = join(folderOf(at, name).find(), fileName(name));
  const text = readOwnTextIfThere(path);
  if (text === undefined) throw missing(at, name);
  return { path, text };
}

/** Returns warnings. Throws on an error, and writes nothing. */
export const writeDefinition = (
  at: Layout,
  name: DefinitionName,
  text: NewText,
  leases: Leases,
): Promise<readonly Problem[]> =>
  withFolderLock(at, folderOf(at, name), (lock) => replaceText(lock, name, text, leases));

async function replaceText(
  lock: WriteLock,
  name: DefinitionName,
  { before, after, file, isDryRun = false, journal }: NewText,
  leases: Leases,
): Promise<readonly Problem[]> {
  const path = join(dirname(lock.file), fileName(name));
  const current = readOwnTextIfThere(path);
  if (current === undefined) throw missing(lock, name);
  if (name.kind !== "epic") {
    await requireNoWorker(leases, storyOf(name));
  }
  if (current !== before) {
    throw new SagaError("in-use", `${definitionLabel(name)} was changed in the meantime.`, {
      hint: "See it with `saga show`, and edit it again.",
    });
  }
  const problems = problemsIn(lock, name, after, file ?? path);
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    throw new SagaError("bad-file", `${definitionLabel(name)} was not changed:`, {
      hint: "Use other values, and run the command again.",
      problems: errors,
    });
  }
  if (after === current || isDryRun) requireLockInside(lock);
  else if (journal === undefined || name.kind === "epic") commit(lock, [{ path, text: after }]);
  else commit(lock, [{ path, text: after }, withEntry(lock, storyOf(name), journal)]);
  return problems;
}

function problemsIn(
  at: Layout,
  name: DefinitionName,
  text: string,
  file: string,
): readonly Problem[] {
  const json = parseJson(file, text);
  if (json.problem) return [json.problem];
  const schema: ZodType<{ readonly id: string }> = SCHEMAS[name.kind];
  const parsed = schema.safeParse(json.value);
  const found = parsed.success
    ? [
        ...(parsed.data.id === name.id ? [] : [changedId(name)]),
        ...misnamedFields(json.value as Fields, Object.keys(SCHEMAS[name.kind].shape)),
        ...referenceProblems(at, name, parsed.data),
      ]
    : explain(parsed.error, json.value);
  return [...repeatedKeys(file, text), ...locate(file, text, found)];
}

/** Problems with the tasks, stories and epics that it refers to. */
function referenceProblems(
  at: Layout,
  name: DefinitionName,
  value: unknown,
): readonly FieldProblem[] {
  if (name.kind === "task") {
    const tasks = requireStory(at, name.story).tasks.map((task) =>
      task.id === name.id ? (value as Task) : task,
    );
    return checkTasks(tasks, requireSettings(at).size).filter(({ taskId }) => taskId === name.id);
  }
  const epics = readEpics(at, newReading());
  if (name.kind === "epic") {
    const stories = findStories(at, newReading());
    const archived = findArchived(at, newReading());
    const isStory = (id: string): boolean => stories.has(id) || archived.includes(id);
    return checkEpic(epicSchema.parse(value), isStory);
  }
  const story = value as Story;
  const homes = [...epics].flatMap(([id, { epic }]) =>
    epic.children.some((child) => child.id === name.id) ? [id] : [],
  );
  return [
    ...checkStory(story, requireStory(at, name.id).tasks),
    ...checkMembership(story, homes, (id) => epics.has(id)),
  ];
}

const changedId = (name: DefinitionName): FieldProblem => ({
  path: ["id"],
  severity: "error",
  message: `The id of the ${name.kind} ${name.id} cannot be changed.`,
  fix: `Keep ${JSON.stringify(name.id)}: it is also the name of its ${name.kind === "task" ? "file" : "folder"}.`,
});

export const fileName = ({ kind, id }: DefinitionName): string =>
  kind === "task" ? `${requireId("task", id)}.json` : `${kind}.json`;

function folderOf(at: Layout, name: DefinitionName): SearchedFolder {
  if (name.kind !== "epic") return storyFolder(at, name.kind === "task" ? name.story : name.id);
  return {
    name: `epic ${name.id}`,
    find: () => dirname(requireEpicFile(at, name.id)),
    isStillRight: () => true,
  };
}

function missing(at: Layout, name: DefinitionName): SagaError {
  if (name.kind !== "task") return notFound(name.kind, name.id);
  const tasks = requireStory(at, name.story).tasks.map(({ id }) => id);
  return new SagaError("not-found", `The story ${name.story} has no task ${name.id}.`, {
    hint: `Its tasks: ${tasks.join(", ") || "none yet"}.`,
  });
}

/** A story's definition must not change while a worker uses it. */
export async function requireNoWorker(leases: Leases, storyId: string): Promise<void> {
  const lease = await leases.read(storyLease(storyId));
  if (lease?.life !== "alive") return;
  throw new SagaError("in-use", `${storyId} is running (${lease.record.owner}).`, {
    hint: `Wait for it to end, or stop it: \`saga stop ${storyId}\`.`,
  });
}
