// Notes about an epic in `<git>/saga/epics/<epic>.json`: its pull request, and how far its branch is merged. They are
// not in `.saga`, where they would show up as a change that the person did not make.

import { join } from "node:path";
import * as z from "zod";
import { makeFolder, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import { formatDocument } from "./json-text.ts";
import { commitsIn, gitFolder } from "./known-refs.ts";
import type { Layout } from "./layout.ts";

const notesSchema = z.looseObject({
  /** The epic's branch, and its pull request. */
  branch: z.string().optional(),
  pr: z.string().optional(),
  /** The last commit of its branch that is in the target. */
  merged: z.string().optional(),
});
export type EpicNotes = z.output<typeof notesSchema>;

const folderOf = ({ project }: Layout): string => join(gitFolder(project), "saga/epics");

/** Empty when the file is missing or invalid: everything in it can be found out again. */
export function readEpicNotes(at: Layout, epicId: string): EpicNotes {
  const text = readTextIfThere(join(folderOf(at), `${epicId}.json`));
  return notesSchema.safeParse(parseJson(text ?? "")).data ?? {};
}

export function writeEpicNotes(at: Layout, epicId: string, change: EpicNotes): void {
  const before = readEpicNotes(at, epicId);
  const after = { ...before, ...change };
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  makeFolder(folderOf(at));
  writeDurably(join(folderOf(at), `${epicId}.json`), formatDocument(after));
}

/** Whether an epic's branch has unmerged commits. Reads git's files, without starting git. */
export function unmergedEpics(at: Layout): (epicId: string) => boolean {
  const commitOf = commitsIn(at.project);
  return (epicId) => {
    const tip = commitOf(`refs/saga/epic/${epicId}/tip`);
    if (tip === undefined || tip === commitOf(`refs/saga/epic/${epicId}/from`)) return false;
    return readEpicNotes(at, epicId).merged !== tip;
  };
}
