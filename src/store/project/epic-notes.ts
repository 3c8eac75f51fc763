// What Saga notes about an epic beside git's own files, in `<git>/saga/epics/<epic>.json`: its pull request, and how far
// its branch is merged. Not in `.saga`: a person's checkout would have a change that they did not make.

import { join } from "node:path";
import * as z from "zod";
import { makeFolder, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import { formatDocument } from "./json-text.ts";
import { gitFolder, textOf } from "./known-refs.ts";
import type { Layout } from "./layout.ts";

const notesSchema = z.looseObject({
  /** Its own branch, and the pull request of that. */
  branch: z.string().optional(),
  pr: z.string().optional(),
  /** The last commit of its branch that is in the target. */
  merged: z.string().optional(),
});
export type EpicNotes = z.output<typeof notesSchema>;

const folderOf = ({ project }: Layout): string => join(gitFolder(project), "saga/epics");

/** Nothing where there are none, or none that make sense: all of it can be found out again. */
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

/** Whether an epic's own branch has commits that are not merged: from git's files, no program is started. */
export function unmergedEpics(at: Layout): (epicId: string) => boolean {
  const folder = gitFolder(at.project);
  const packed = textOf(folder, "packed-refs");
  const commitOf = (ref: string): string | undefined =>
    textOf(folder, ref).trim() ||
    new RegExp(`^(?<id>[0-9a-f]+) ${ref}$`, "m").exec(packed)?.groups?.["id"];
  return (epicId) => {
    const tip = commitOf(`refs/saga/epic/${epicId}/tip`);
    if (tip === undefined || tip === commitOf(`refs/saga/epic/${epicId}/from`)) return false;
    return readEpicNotes(at, epicId).merged !== tip;
  };
}
