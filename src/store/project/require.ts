// The place of one story or epic by its id, or an error that says why not. Nothing is read here.

import { existsSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { SagaError, type Problem } from "../../errors.ts";
import { isInside, skipAccessTime } from "../../machine/files/files.ts";
import { isPoolName, requireId } from "../../story/definition/names.ts";
import { epicFile, type Layout, type WriteLock } from "./layout.ts";
import { findStory, type StoryPlace } from "./find.ts";

export function requirePlace(at: Layout, storyId: string): StoryPlace {
  const place = findStory(at, requireId("story", storyId));
  if (!place) throw notFound("story", storyId);
  requireInside(at, place.folder);
  return place;
}

export function requireEpicFile(at: Layout, epicId: string): string {
  const file = epicFile(at, requireId("epic", epicId));
  requireInside(at, file);
  if (existsSync(file)) return file;
  throw notFound("epic", epicId);
}

/** Everything that is read or written by id goes through here: no link leads it elsewhere. */
export function requireInside(at: Layout, path: string): void {
  if (isInside(at.saga, path)) return;
  throw new SagaError("unsafe-path", `${path} leads out of .saga through a link.`, {
    hint: "Replace the link by the file or folder itself; nothing was changed.",
  });
}

/** The same for the folder of a lock. One that was judged before is known again by its number. */
export function requireLockInside(lock: WriteLock): void {
  const folder = dirname(lock.file);
  const { dev, ino } = lstatSync(folder);
  const number = `${dev}/${ino}`;
  if (judgedInside.get(folder) === number) return;
  requireInside(lock, lock.file);
  skipAccessTime(folder);
  judgedInside.set(folder, number);
}

const judgedInside = new Map<string, string>();

export const notFound = (kind: string, id: string): SagaError =>
  new SagaError(
    "not-found",
    isPoolName(id) ? `${id} belongs to the pool, and is no ${kind}.` : `There is no ${kind} ${id}.`,
    {
      hint: isPoolName(id)
        ? "`saga auto status` shows the pool, `saga auto stop` ends it."
        : "`saga list` shows what there is.",
    },
  );

export const brokenFiles = (problems: readonly Problem[]): SagaError =>
  new SagaError(
    "bad-file",
    problems.length === 1 ? "A file is not valid." : `${problems.length} things are not valid.`,
    {
      hint: "Correct what is listed; `saga validate` shows everything in the project.",
      problems,
    },
  );
