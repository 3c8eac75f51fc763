// Finds all problems in a project's files at once.

import { join } from "node:path";
import type { Problem } from "../../errors.ts";
import { readTextIfThere } from "../../machine/files/files.ts";
import {
  checkEpic,
  checkMembership,
  checkStory,
  checkTasks,
} from "../../story/definition/validate.ts";
import { misnamedFields, type FieldProblem } from "../../story/definition/explain-error.ts";
import { epicSchema } from "../../story/definition/epic.ts";
import { checkJournal, parseJournal } from "../../story/definition/journal.ts";
import { storySchema } from "../../story/definition/story.ts";
import { taskSchema } from "../../story/definition/task.ts";
import { loadSettings } from "../project/config.ts";
import { locate } from "../project/document.ts";
import { journalFile } from "../write/journal.ts";
import { knownRefs } from "../project/known-refs.ts";
import { archiveFolder, epicFile, transactionFolder, type Layout } from "../project/layout.ts";
import {
  findArchived,
  findStories,
  foreignFolders,
  linkedWorktrees,
  newReading,
} from "../project/find.ts";
import type { LeaseLook } from "../leases/leases.ts";
import { recordsReader } from "../runs/own-records.ts";
import { readEpics, readStory } from "../project/read.ts";
import { hasTransaction } from "../write/transaction.ts";
import { loadPromptTemplate } from "../project/worker-prompt.ts";

const EPIC_FIELDS = Object.keys(epicSchema.shape);
const STORY_FIELDS = Object.keys(storySchema.shape);
const TASK_FIELDS = Object.keys(taskSchema.shape);

export interface Validation {
  readonly problems: readonly Problem[];
  readonly counts: { readonly epics: number; readonly stories: number; readonly tasks: number };
}

export interface ValidationContext {
  readonly nowMs: number;
  readonly leaseOf: LeaseLook;
  /** Leases that cannot be read. */
  readonly leaseProblems: readonly Problem[];
}

export function validateProject(
  at: Layout,
  { nowMs, leaseOf, leaseProblems }: ValidationContext,
): Validation {
  const reading = newReading(true);
  const { settings, problems: configProblems } = loadSettings(at);
  const problems = [...configProblems, ...loadPromptTemplate(at).problems];
  const report = (file: string, findings: readonly FieldProblem[]): void => {
    if (findings.length > 0) problems.push(...locate(file, readTextIfThere(file) ?? "", findings));
  };

  const places = findStories(at, reading);
  const archived = findArchived(at, reading);
  const epics = readEpics(at, reading);
  const isStory = (id: string): boolean => places.has(id) || archived.includes(id);
  const epicsOf = new Map<string, string[]>();
  for (const [id, { epic, fields }] of epics) {
    for (const child of new Set(epic.children.map((one) => one.id))) {
      epicsOf.set(child, [...(epicsOf.get(child) ?? []), id]);
    }
    report(epicFile(at, id), [...misnamedFields(fields, EPIC_FIELDS), ...checkEpic(epic, isStory)]);
  }

  const readRecords = recordsReader(at, { nowMs, refs: knownRefs(at), reading, leaseOf });
  let tasks = 0;
  for (const place of places.values()) {
    readRecords(place.id);
    const record = readStory(at, place, reading);
    if (!record) continue;
    tasks += record.tasks.length;
    for (const { taskId, ...finding } of checkTasks(record.tasks, settings.size)) {
      report(join(place.folder, `${taskId}.json`), [finding]);
    }
    for (const [taskId, fields] of record.taskFields) {
      report(join(place.folder, `${taskId}.json`), misnamedFields(fields, TASK_FIELDS));
    }
    report(join(place.folder, "story.json"), [
      ...misnamedFields(record.fields, STORY_FIELDS),
      ...checkStory(record.story, record.tasks),
      ...checkMembership(record.story, epicsOf.get(place.id) ?? [], (id) => epics.has(id)),
    ]);
    problems.push(...checkJournal(journalFile(place.folder), parseJournal(record.journal ?? "")));
  }
  for (const problem of leaseProblems) {
    if (!reading.problems.some(({ file }) => file === problem.file)) reading.problems.push(problem);
  }
  // Counted before the archive is read, which may hold more stories in the old format.
  const stories = places.size - reading.legacy.length;
  for (const id of archived) {
    const folder = join(archiveFolder(at), id);
    readStory(at, { id, folder, source: "archive" }, reading);
    if (places.has(id)) report(join(folder, "story.json"), [duplicateStory(id)]);
  }
  problems.push(...foreignFolders(at).map(foreign), ...linkedWorktrees(at));
  if (hasTransaction(at)) problems.push(unfinished(transactionFolder(at)));
  const counts = { epics: epics.size, stories, tasks };
  return { problems: byPlace([...reading.problems, ...problems]), counts };
}

const duplicateStory = (id: string): FieldProblem => ({
  path: ["id"],
  severity: "error",
  message: `The story ${id} is both in the archive and in stories.`,
  fix: "Rename or remove one of the two folders.",
});

const unfinished = (file: string): Problem => ({
  file,
  severity: "error",
  message: "A change of several files was not finished.",
  fix: "Run any command that writes, such as `saga init`: it finishes the change or says what prevents it.",
});

const foreign = (file: string): Problem => ({
  file,
  severity: "warning",
  message: "This folder is not a git worktree, so no story can run in it.",
  fix: "Move it away before you run a story with this name.",
});

const byPlace = (problems: readonly Problem[]): Problem[] =>
  problems.toSorted((one, other) =>
    one.file === other.file ? (one.line ?? 0) - (other.line ?? 0) : one.file < other.file ? -1 : 1,
  );
