// Removes a story, an epic or a task. Nothing is deleted: its files move to `.saga/removed`, from where they can be
// moved back. References to it are removed first, so that an interrupted removal can be repeated.

import { existsSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SagaError } from "../../errors.ts";
import {
  diskError,
  makeFolder,
  readOwnTextIfThere,
  syncFolder,
  writeDurably,
} from "../../machine/files/files.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { count } from "../../text/plural.ts";
import { rewriteDocument } from "../project/document.ts";
import type { Leases } from "../leases/leases.ts";
import { definitionLabel, requireNoWorker, type DefinitionName } from "./definition-file.ts";
import { findStories, newReading } from "../project/find.ts";
import type { Fields } from "../project/json-text.ts";
import { epicFile, epicsFolder, layoutOf, type Layout, type WriteLock } from "../project/layout.ts";
import { readEpics, type EpicRecord } from "../project/read.ts";
import { requireEpicFile, requireInside, requirePlace } from "../project/require.ts";
import { requireEpic, requireStory } from "../project/require-read.ts";
import { changedElsewhere, storyFolder } from "./story-folder.ts";
import { beginChange, commit, endChange, type FileChange } from "./transaction.ts";
import { breakLocks } from "../../machine/files/folder-lock.ts";
import { withProjectLock } from "./write-lock.ts";

export interface RemoveOptions {
  /** Removes it even if others refer to it, with those references. */
  readonly isForced: boolean;
  /** Only checks whether it can be removed. */
  readonly isDryRun?: boolean;
}

export interface Removed {
  /** Its old and new path. */
  readonly from: string;
  readonly to: string;
  /** The tasks or stories that referred to it. */
  readonly dependants: readonly string[];
}

interface Removal {
  readonly from: string;
  readonly dependants: readonly string[];
  readonly changes: readonly FileChange[];
}

const removedFolder = (at: Layout): string => `${at.saga}/removed`;

export function removeDefinition(
  at: Layout,
  name: DefinitionName,
  options: RemoveOptions,
  { leases, nowMs }: { readonly leases: Leases; readonly nowMs: number },
): Promise<Removed> {
  return withProjectLock(
    at,
    () => foldersOf(at, name),
    async (lock) => {
      const removal = await REMOVALS[name.kind](lock, name, leases);
      const { from, dependants, changes } = removal;
      if (dependants.length > 0 && !options.isForced) throw inUse(name, dependants);
      const to = join(removedFolder(at), `${stampOf(nowMs)}.${basename(from)}`);
      if (options.isDryRun !== true) {
        commit(lock, changes);
        moveAway(lock, from, to);
      }
      return { from, to, dependants };
    },
  );
}

/** Every folder whose files may change. */
function foldersOf(at: Layout, name: DefinitionName): string[] {
  if (name.kind === "task") return [storyFolder(at, name.story).find()];
  const epics = [...readEpics(at, newReading())].map(([id]) => join(epicsFolder(at), id));
  if (name.kind === "story") {
    const { folder } = requirePlace(at, name.id);
    return existsSync(folder) ? [folder, ...epics] : epics;
  }
  const places = findStories(at, newReading());
  return [...epics, ...childrenOf(at, name.id).flatMap((id) => places.get(id)?.folder ?? [])];
}

const REMOVALS: Readonly<
  Record<
    DefinitionName["kind"],
    (at: WriteLock, name: DefinitionName, leases: Leases) => Removal | Promise<Removal>
  >
> = { task: taskRemoval, story: storyRemoval, epic: epicRemoval };

async function taskRemoval(at: WriteLock, name: DefinitionName, leases: Leases): Promise<Removal> {
  const storyId = name.kind === "task" ? name.story : "";
  await requireNoWorker(leases, storyId);
  const { folder, tasks, taskFields } = requireStory(at, storyId);
  const from = join(folder, `${name.id}.json`);
  if (!tasks.some(({ id }) => id === name.id)) {
    throw new SagaError("not-found", `The story ${storyId} has no task ${name.id}.`, {
      hint: `Its tasks: ${tasks.map(({ id }) => id).join(", ") || "none yet"}.`,
    });
  }
  const waiting = tasks.filter(({ blockedBy }) => blockedBy.includes(name.id));
  const changes = waiting.map(({ id, blockedBy }) =>
    changed(join(folder, `${id}.json`), taskFields.get(id) ?? {}, {
      blockedBy: blockedBy.filter((one) => one !== name.id),
    }),
  );
  return { from, dependants: waiting.map(({ id }) => id), changes };
}

function storyRemoval(at: WriteLock, { id }: DefinitionName): Removal {
  const { folder, source } = requirePlace(at, id);
  if (source === "elsewhere") throw changedElsewhere(id);
  if (source !== "project") {
    const isArchived = source === "archive";
    throw new SagaError(
      "in-use",
      `Cannot remove ${id}: it ${isArchived ? "is in the archive" : "has a worktree"}.`,
      {
        hint: isArchived
          ? "Archived stories are kept."
          : `Discard its work first: \`saga discard ${id}\`.`,
      },
    );
  }
  const epics = [...readEpics(at, newReading())].filter(([, { epic }]) =>
    epic.children.some((child) => child.id === id || child.blockedBy.includes(id)),
  );
  const dependants = epics.flatMap(([, { epic }]) =>
    epic.children.filter((child) => child.blockedBy.includes(id)).map((child) => child.id),
  );
  return { from: folder, dependants, changes: epics.map((epic) => withoutChild(at, epic, id)) };
}

function withoutChild(at: Layout, [epicId, record]: [string, EpicRecord], id: string): FileChange {
  const children = childrenWithout(record.epic.children, id);
  return changed(epicFile(at, epicId), record.fields, { children });
}

/** Stories that waited for it wait for it no more. */
export const childrenWithout = (children: Epic["children"], id: string): Epic["children"] =>
  children
    .filter((child) => child.id !== id)
    .map((child) => ({ ...child, blockedBy: child.blockedBy.filter((one) => one !== id) }));

/** Its stories stay, without an epic. */
async function epicRemoval(
  at: WriteLock,
  { id }: DefinitionName,
  leases: Leases,
): Promise<Removal> {
  const from = dirname(requireEpicFile(at, id));
  const places = findStories(at, newReading());
  const dependants = childrenOf(at, id).filter((child) => places.has(child));
  for (const child of dependants) await requireNoWorker(leases, child);
  const changes = dependants.flatMap((child) => {
    const { folder, fields } = requireStory(at, child);
    return fields["epic"] === id
      ? [changed(join(folder, "story.json"), fields, { epic: undefined })]
      : [];
  });
  return { from, dependants, changes };
}

const childrenOf = (at: Layout, epicId: string): string[] =>
  requireEpic(at, epicId).epic.children.map(({ id }) => id);

/** Removes fields whose new value is undefined. */
function changed(path: string, before: Readonly<Fields>, fields: Readonly<Fields>): FileChange {
  const after = Object.fromEntries(
    Object.entries({ ...before, ...fields }).filter(([, value]) => value !== undefined),
  );
  return { path, text: rewriteDocument(readOwnTextIfThere(path) ?? "", before, after) };
}

function moveAway(at: Layout, from: string, to: string): void {
  requireInside(at, to);
  prepareFolder(at);
  beginChange(at);
  try {
    renameSync(from, to);
  } catch (error) {
    throw diskError(error, to);
  } finally {
    endChange(at);
  }
  // The lock moved with the folder.
  if (!to.endsWith(".json")) breakLocks(to);
  syncFolder(dirname(to));
  syncFolder(dirname(from));
}

/** Saves a copy of something that is removed elsewhere, and returns its path. */
export function keepRemoved(
  project: string,
  { name, text }: { readonly name: string; readonly text: string },
  nowMs: number,
): string {
  const at = layoutOf(project);
  const file = join(prepareFolder(at), `${stampOf(nowMs)}.${name}`);
  requireInside(at, file);
  writeDurably(file, text);
  return file;
}

function prepareFolder(at: Layout): string {
  const folder = removedFolder(at);
  requireInside(at, folder);
  makeFolder(folder);
  // The project's own .gitignore may be older than this folder.
  if (!existsSync(join(folder, ".gitignore"))) writeDurably(join(folder, ".gitignore"), "*\n");
  return folder;
}

/** `20261117T195543`: sorts by time and is readable. */
export const stampOf = (nowMs: number): string =>
  new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+Z/g, "");

function inUse(name: DefinitionName, dependants: readonly string[]): SagaError {
  const label = definitionLabel(name);
  const [sentence, force] =
    name.kind === "epic"
      ? [
          `The epic ${label} has ${count(dependants.length, "story", "stories")}`,
          "the stories are then kept, without an epic",
        ]
      : [
          `Other ${name.kind === "task" ? "tasks" : "stories"} wait for ${label}`,
          "their dependency on it is then removed",
        ];
  return new SagaError("in-use", `${sentence}: ${dependants.join(", ")}.`, {
    hint: `Remove what is named above first, or add --force: ${force}.`,
  });
}
