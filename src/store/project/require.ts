// Finds one story or epic by its id, or throws an error that says why it cannot. Opens no file.

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

/** Guards every read and write by id against links that lead out of `.saga`. */
export function requireInside(at: Layout, path: string): void {
  if (isInside(at.saga, path)) return;
  throw new SagaError("unsafe-path", `${path} leads out of .saga through a link.`, {
    hint: "Replace the link with the file or folder itself. Nothing was changed.",
  });
}

/** The same for the folder of a lock. A folder that was checked before is recognised by its inode. */
export function requireLockInside(lock: WriteLock): void {
  const folder = dirname(lock.file);
  const { dev, ino } = lstatSync(folder);
  const inode = `${dev}/${ino}`;
  if (checkedInodes.get(folder) === inode) return;
  requireInside(lock, lock.file);
  skipAccessTime(folder);
  checkedInodes.set(folder, inode);
}

const checkedInodes = new Map<string, string>();

export const notFound = (kind: string, id: string): SagaError =>
  new SagaError(
    "not-found",
    isPoolName(id) ? `${id} is a worker of the pool, not a ${kind}.` : `There is no ${kind} ${id}.`,
    {
      hint: isPoolName(id)
        ? "See the pool with `saga auto status`, stop it with `saga auto stop`."
        : "`saga list` shows all stories and epics.",
      missingId: id,
    },
  );

export const brokenFiles = (problems: readonly Problem[]): SagaError =>
  new SagaError(
    "bad-file",
    problems.length === 1 ? "Invalid file:" : `${problems.length} problems in files:`,
    {
      hint: "Fix the problems listed above; `saga validate` checks the whole project.",
      problems,
    },
  );
