// Resets a discarded story: the project's copy becomes the current one again, with every task pending and an entry in
// the journal, as one change.

import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  diskError,
  listNames,
  makeFolder,
  readOwnTextIfThere,
  syncFolder,
} from "../../machine/files/files.ts";
import { removeTree } from "../../machine/files/remove-tree.ts";
import { parseJson } from "../../text/parse-json.ts";
import { appendEntry, parseJournal, type NewEntry } from "../../story/definition/journal.ts";
import { hasKey } from "../../story/definition/journal-key.ts";
import { idProblem } from "../../story/definition/names.ts";
import { isStatus } from "../../story/definition/status.ts";
import { copyFolder } from "./copy-to-worktree.ts";
import { rewriteDocument } from "../project/document.ts";
import { journalFile } from "./journal.ts";
import { withText, type Fields } from "../project/json-text.ts";
import { storiesFolder, type Layout } from "../project/layout.ts";
import { notFound, requireInside, requirePlace } from "../project/require.ts";
import { commit, type FileChange } from "./transaction.ts";
import { withProjectLock } from "./write-lock.ts";

/** Copies a story that exists only in its worktree back to the project. Atomic; does nothing if the project has it. */
export async function reclaimStory(at: Layout, storyId: string): Promise<void> {
  const place = requirePlace(at, storyId);
  const own = join(storiesFolder(at), storyId);
  if (place.source !== "worktree" || existsSync(join(own, "story.json"))) return;
  requireInside(at, own);
  await withProjectLock(
    at,
    () => [place.folder],
    () => {
      const temporary = join(dirname(own), `.${storyId}.reclaimed.tmp`);
      removeTree(temporary);
      try {
        makeFolder(dirname(own));
        copyFolder(at, place.folder, temporary);
        renameSync(temporary, own);
        syncFolder(dirname(own));
      } catch (error) {
        removeTree(temporary);
        throw diskError(error, own);
      }
    },
  );
}

/**
 * Resets the project's copy, even while there is a worktree. Leaves invalid files as they are: `saga validate` reports
 * them. Can be repeated: the journal entry is written once.
 */
export async function resetStory(
  at: Layout,
  storyId: string,
  entry: NewEntry | undefined,
): Promise<void> {
  const folder = join(storiesFolder(at), storyId);
  if (!existsSync(folder)) throw notFound("story", storyId);
  await withProjectLock(
    at,
    () => [folder],
    (lock) => {
      const story = join(folder, "story.json");
      const [fields, text] = readFields(story);
      const title = fields?.["title"];
      const changes = [
        ...(fields === undefined ? [] : [{ path: story, text: asNew(text, fields) }]),
        ...tasksIn(folder),
        ...(entry ? entryIn(folder, typeof title === "string" ? title : storyId, entry) : []),
      ];
      const needed = changes.filter((change) => readOwnTextIfThere(change.path) !== change.text);
      commit(lock, needed);
    },
  );
}

/** Removes the fields that a run has written. */
function asNew(text: string, fields: Fields): string {
  const { branch: _, pr: __, worktree: ___, ...after } = fields;
  const isBegun = after["status"] !== undefined && after["status"] !== "pending";
  return rewriteDocument(text, fields, { ...after, ...(isBegun && { status: "pending" }) });
}

const tasksIn = (folder: string): FileChange[] =>
  listNames(folder).flatMap((name) => {
    const id = name.replace(/\.json$/, "");
    if (id === name || idProblem("task", id) !== undefined) return [];
    const path = join(folder, name);
    const [fields, text] = readFields(path);
    const status = fields?.["status"];
    return isStatus(status) && status !== "pending"
      ? [{ path, text: withText(text, "status", "pending") }]
      : [];
  });

function entryIn(folder: string, title: string, entry: NewEntry): FileChange[] {
  const path = journalFile(folder);
  const before = readOwnTextIfThere(path) ?? "";
  const last = parseJournal(before).entries.at(-1);
  if (last && entry.key && hasKey(last, entry.key)) return [];
  return [{ path, text: appendEntry(before, title, entry) }];
}

/** The fields are undefined when the file is missing or not an object. */
function readFields(file: string): readonly [fields: Fields | undefined, text: string] {
  const text = readOwnTextIfThere(file) ?? "";
  const fields = parseJson(text);
  const isObject = typeof fields === "object" && fields !== null && !Array.isArray(fields);
  return [isObject ? (fields as Fields) : undefined, text];
}
