// Carries a split into the files of its story: read what is there, decide (story/split), judge it as
// a whole, commit as one, with the entry in the journal that says so.

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
  say: (into: readonly string[]) => NewEntry,
): SplitResult {
  const story = requireStory(lock, storyId);
  const split = decide(story.taskFields);
  if (split.kind === "refused" || split.files.length === 0) return split;
  const changes = split.files.map((file) => changeOf(story, file));
  requireWhole(story, split.files);
  const journal = appendEntry(story.journal ?? "", story.story.title, say(split.into));
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
  const judged = taskSchema.safeParse(fields);
  if (!judged.success) throw brokenFiles(locate(path, text, explain(judged.error, fields)));
  return { path, text };
}

/** Every task of the story as it would be: none waits for one that is not there, or for itself. */
function requireWhole({ folder, tasks }: StoryRecord, files: readonly SplitFile[]): void {
  const after = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  for (const { id, fields } of files) after.set(id, taskSchema.parse(fields));
  const found = checkTasks([...after.values()], ANY_SIZE).map(({ taskId, ...finding }) =>
    locate(join(folder, `${taskId}.json`), "", [finding]),
  );
  if (found.length > 0) throw brokenFiles(found.flat());
}

/** How large a part may be was judged with the proposal; the others are not its business. */
const ANY_SIZE: SizeCeiling = { maxFiles: Infinity, maxLines: Infinity };
