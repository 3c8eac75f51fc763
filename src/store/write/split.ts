// Writes the split of a task: reads the story, decides (story/plan/split), validates the result, and commits it with
// a journal entry as one change.

import { join } from "node:path";
import { readOwnTextIfThere } from "../../machine/files/files.ts";
import { checkTasks, type SizeCeiling } from "../../story/definition/validate.ts";
import { explain } from "../../story/definition/explain-error.ts";
import { appendEntry, type NewEntry } from "../../story/definition/journal.ts";
import type { SplitResult, SplitFile } from "../../story/plan/split.ts";
import { taskSchema, type Task } from "../../story/definition/task.ts";
import { locate, rewriteDocument } from "../project/document.ts";
import { journalFile } from "./journal.ts";
import { formatDocument, type Fields } from "../project/json-text.ts";
import type { WriteLock } from "../project/layout.ts";
import type { StoryRecord } from "../project/read.ts";
import { brokenFiles } from "../project/require.ts";
import { requireStory } from "../project/require-read.ts";
import type { DecideSplit } from "../store.ts";
import { commit, type FileChange } from "./transaction.ts";

export function writeSplit(
  lock: WriteLock,
  storyId: string,
  decide: DecideSplit,
  entryFor: (into: readonly string[]) => NewEntry,
): SplitResult {
  const story = requireStory(lock, storyId);
  const split = decide(story.taskFields);
  if (split.kind === "refused" || split.files.length === 0) return split;
  const changes = split.files.map((file) => changeOf(story, file));
  requireValidTasks(story, split.files);
  const journal = appendEntry(story.journal ?? "", story.story.title, entryFor(split.into));
  commit(lock, [...changes, { path: journalFile(story.folder), text: journal }]);
  return split;
}

function changeOf({ folder }: StoryRecord, { id, fields }: SplitFile): FileChange {
  const path = join(folder, `${id}.json`);
  const before = readOwnTextIfThere(path);
  const text =
    before === undefined
      ? formatDocument(fields)
      : rewriteDocument(before, JSON.parse(before) as Fields, fields);
  const parsed = taskSchema.safeParse(fields);
  if (!parsed.success) throw brokenFiles(locate(path, text, explain(parsed.error, fields)));
  return { path, text };
}

/** After the split, no task may wait for one that does not exist, or for itself. */
function requireValidTasks({ folder, tasks }: StoryRecord, files: readonly SplitFile[]): void {
  const after = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  for (const { id, fields } of files) after.set(id, taskSchema.parse(fields));
  const found = checkTasks([...after.values()], ANY_SIZE).map(({ taskId, ...finding }) =>
    locate(join(folder, `${taskId}.json`), "", [finding]),
  );
  if (found.length > 0) throw brokenFiles(found.flat());
}

/** The size of the new tasks was checked with the proposal; the other tasks did not change. */
const ANY_SIZE: SizeCeiling = { maxFiles: Infinity, maxLines: Infinity };
