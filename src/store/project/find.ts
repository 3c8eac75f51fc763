// Finds stories and epics by the names of their folders. Opens no file, except to find out whether a copy of another machine
// is out of date.

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { Problem } from "../../errors.ts";
import { isInside, listFolder, readTextIfThere } from "../../machine/files/files.ts";
import {
  idProblem,
  isScratchWorktree,
  storyOfWorktree,
  storyWorktrees,
  suggestId,
  type IdKind,
} from "../../story/definition/names.ts";
import { parseJson } from "../../text/parse-json.ts";
import {
  archiveFolder,
  elsewhereFolder,
  epicsFolder,
  isWorktree,
  storiesFolder,
  worktreesFolder,
  type Layout,
} from "./layout.ts";

/** Collects problems while reading. A thorough reader also looks for problems that it could ignore. */
export interface ReadProblems {
  readonly problems: Problem[];
  /** Stories in the old markdown format, which are not read. */
  readonly legacy: string[];
  readonly isThorough: boolean;
}

export const newReading = (isThorough = false): ReadProblems => ({
  problems: [],
  legacy: [],
  isThorough,
});

/**
 * Where the current copy of a story is: in its worktree, as long as it has one. `elsewhere`: on another machine of the
 * fleet, and here is a copy to look at (`store/elsewhere/story-copies.ts`).
 */
export type StorySource = "project" | "worktree" | "archive" | "elsewhere";

export interface StoryPlace {
  readonly id: string;
  readonly folder: string;
  readonly source: StorySource;
}

/** Every story that is not archived, by id, with the place of its current copy. */
export function findStories(at: Layout, reading: ReadProblems): Map<string, StoryPlace> {
  const places = new Map<string, StoryPlace>();
  for (const id of folderIds(at, storiesFolder(at), "story", reading)) {
    places.set(id, { id, folder: `${at.saga}/stories/${id}`, source: "project" });
  }
  for (const { id, path } of findWorktrees(at)) {
    const place = liveCopy(at, id, path);
    if (place) places.set(id, place);
  }
  for (const id of foldersIn(`${elsewhereFolder(at)}/stories`)) {
    const place = copyElsewhere(at, id);
    if (place) places.set(id, place);
  }
  return places;
}

/** The place of one story, without reading the others. */
export function findStory(at: Layout, id: string): StoryPlace | undefined {
  const elsewhere = copyElsewhere(at, id);
  if (elsewhere) return elsewhere;
  for (const worktree of storyWorktrees(id)) {
    const path = join(at.saga, relative(".saga", worktree));
    const place = isWorktree(path) ? liveCopy(at, id, path) : undefined;
    if (place) return place;
  }
  const folder = `${at.saga}/stories/${id}`;
  if (existsSync(folder)) return { id, folder, source: "project" };
  const archived = `${at.saga}/archive/${id}`;
  return existsSync(archived) ? { id, folder: archived, source: "archive" } : undefined;
}

/**
 * The worktree here, if there is one, is older: another machine has continued the story. But a checkout that has the merged
 * story is newer than a copy from before the merge.
 */
function copyElsewhere(at: Layout, id: string): StoryPlace | undefined {
  const folder = `${elsewhereFolder(at)}/stories/${id}`;
  const isCopy = idProblem("story", id) === undefined && existsSync(`${folder}/story.json`);
  if (!isCopy || !isInside(at.saga, folder) || existsSync(`${at.saga}/archive/${id}`)) {
    return undefined;
  }
  const own = parseJson(readTextIfThere(`${at.saga}/stories/${id}/story.json`) ?? "");
  const isMerged = (own as { status?: unknown } | null | undefined)?.status === "completed";
  return isMerged ? undefined : { id, folder, source: "elsewhere" };
}

/** Agents write in worktrees, so a copy behind a link that leads out of `.saga` does not count. */
function liveCopy(at: Layout, id: string, worktree: string): StoryPlace | undefined {
  const folder = `${worktree}/.saga/stories/${id}`;
  const isLive = existsSync(`${folder}/story.json`) && isInside(at.saga, folder);
  return isLive ? { id, folder, source: "worktree" } : undefined;
}

export interface FoundWorktree {
  readonly id: string;
  readonly path: string;
}

/** The worktrees of stories in all layouts: `<id>`, and the older `stories/<id>` and `<epic>/<story>`. */
export function findWorktrees(at: Layout): FoundWorktree[] {
  return foldersIn(worktreesFolder(at)).flatMap((outer) => {
    const path = `${worktreesFolder(at)}/${outer}`;
    if (isWorktree(path)) return named(outer, path);
    return foldersIn(path).flatMap((inner) =>
      isWorktree(join(path, inner)) ? named(`${outer}/${inner}`, join(path, inner)) : [],
    );
  });
  function named(inWorktrees: string, path: string): FoundWorktree[] {
    const id = storyOfWorktree(`.saga/worktrees/${inWorktrees}`);
    return id === undefined ? [] : [{ id, path }];
  }
}

export const findArchived = (at: Layout, reading: ReadProblems): string[] =>
  folderIds(at, archiveFolder(at), "story", reading);

/** The ids of the folders in a folder. An invalid name is reported as a problem. */
export function folderIds(
  at: Layout,
  folder: string,
  kind: IdKind,
  reading: ReadProblems,
): string[] {
  if (!isInside(at.saga, folder)) {
    reading.problems.push(outside(folder));
    return [];
  }
  return listFolder(folder).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.name.startsWith(".")) return [];
    if (entry.isSymbolicLink() && !isInside(at.saga, path)) {
      reading.problems.push(outside(path));
      return [];
    }
    if (!entry.isDirectory() && !entry.isSymbolicLink()) return [];
    const problem = idProblem(kind, entry.name);
    if (problem === undefined) return [entry.name];
    const suggestion = suggestId(kind, entry.name);
    reading.problems.push({
      file: path,
      severity: "error",
      message: `The folder name ${JSON.stringify(entry.name)} ${problem}.`,
      fix: suggestion ? `Rename it to ${suggestion}.` : "Rename it.",
    });
    return [];
  });
}

export const outside = (file: string): Problem => ({
  file,
  severity: "error",
  message: "This link leads out of .saga and is not followed.",
  fix: "Replace the link with the file or folder itself.",
});

const foldersIn = (folder: string): string[] =>
  listFolder(folder)
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

/** Folders in `worktrees/` that are not worktrees. No story runs in them, and Saga never removes them. */
export function foreignFolders(at: Layout): string[] {
  const known = new Set(findWorktrees(at).map((worktree) => worktree.path));
  return foldersIn(worktreesFolder(at))
    .filter((name) => !isScratchWorktree(name))
    .map((name) => join(worktreesFolder(at), name))
    .filter(
      (path) => !known.has(path) && !foldersIn(path).some((one) => known.has(join(path, one))),
    );
}

/** Links in `worktrees/` that lead out of `.saga`: no story runs in them, and the person should know. */
export const linkedWorktrees = (at: Layout): Problem[] =>
  listFolder(worktreesFolder(at)).flatMap((entry) => {
    const path = join(worktreesFolder(at), entry.name);
    return entry.isSymbolicLink() && !isInside(at.saga, path) ? [outside(path)] : [];
  });

export const epicIds = (at: Layout): string[] =>
  folderIds(at, epicsFolder(at), "epic", newReading());

/** For shell completion. */
export function storyAndEpicIds(at: Layout): { stories: string[]; epics: string[] } {
  return { stories: [...findStories(at, newReading()).keys()], epics: epicIds(at) };
}
