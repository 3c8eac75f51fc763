// The repository that a list of the pool belongs to. Work on the list's tasks is merged there, so a second repository
// on the same list would get the first one's work. The first to use a list owns it.

import { randomBytes } from "node:crypto";
import { existsSync, linkSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { SagaError } from "../errors.ts";
import { commonDirOf } from "../machine/programs/common-dir.ts";
import {
  errorCode,
  ifThere,
  makeFolder,
  readTextIfThere,
  syncFolder,
  writeAndSync,
} from "../machine/files/files.ts";
import { parseJson } from "../text/parse-json.ts";
import type { ListLocation } from "./location.ts";

const ownerFile = (list: string): string => join(list, ".saga-owner");

/** Identifies a repository by its common folder or, without git, by the project's folder. */
const repositoryAt = (project: string): string =>
  commonDirOf(project) ?? ifThere(() => realpathSync(project)) ?? project;

const readRecord = (list: string): string | undefined => readTextIfThere(ownerFile(list));

/** Undefined as long as no repository has used the list. */
function ownerIn(record: string | undefined): string | undefined {
  const value: unknown = parseJson(record ?? "");
  const owner: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, "repository") : undefined;
  return typeof owner === "string" && owner !== "" ? owner : undefined;
}

/** The other repository that owns the list. One that no longer exists owns nothing. */
export function foreignOwner(list: string, project: string): string | undefined {
  const owner = ownerIn(readRecord(list));
  const isForeign = owner !== undefined && owner !== repositoryAt(project);
  return isForeign && existsSync(owner) ? owner : undefined;
}

/** For commands that only read: the list is left as it is. */
export function requireReadable({ listId, list }: ListLocation, project: string): void {
  const owner = foreignOwner(list, project);
  if (owner !== undefined) throw belongsTo(listId, owner);
}

/** For commands that add or do work: the list is this repository's from now on, or the command is refused. */
export function requireOwned(place: ListLocation, project: string): void {
  const record = readRecord(place.list);
  requireReadable(place, project);
  if (ownerIn(record) === repositoryAt(project)) return;
  own(place.list, project, record);
  // Another repository may have been faster.
  requireReadable(place, project);
}

/** On a person's explicit command, whatever the owner. Returns the previous owner. */
export function adoptList({ list }: ListLocation, project: string): string | undefined {
  const record = readRecord(list);
  const before = ownerIn(record);
  if (before !== repositoryAt(project)) own(list, project, record);
  return before;
}

/**
 * Exactly one of several processes can create the link, and exactly one can move an old record away before that. A
 * record that is not the expected one is put back.
 */
function own(list: string, project: string, judged: string | undefined): void {
  makeFolder(list);
  const file = ownerFile(list);
  const [mine, old] = ["new", "old"].map(
    (end) => `${file}.${randomBytes(6).toString("hex")}.${end}`,
  );
  if (mine === undefined || old === undefined) return;
  writeAndSync(mine, `${JSON.stringify({ repository: repositoryAt(project) })}\n`);
  try {
    if (judged !== undefined && !tryTo(() => renameSync(file, old), "ENOENT")) return;
    const isJudged = readTextIfThere(old) === judged;
    tryTo(() => linkSync(isJudged ? mine : old, file), "EEXIST");
    syncFolder(list);
  } finally {
    rmSync(mine, { force: true });
    rmSync(old, { force: true });
  }
}

/** False when it failed with this code, which means that another process was faster. */
function tryTo(act: () => void, code: string): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (errorCode(error) === code) return false;
    throw error;
  }
}

/** A person knows a repository by its folder. */
export const folderOfOwner = (owner: string): string =>
  owner.endsWith("/.git") ? dirname(owner) : owner;

const belongsTo = (listId: string, owner: string): SagaError =>
  new SagaError(
    "in-use",
    `The task list ${listId} belongs to another repository: ${folderOfOwner(owner)}.`,
    {
      hint: "Use another list: `saga config set auto.task_list_id <name>`. To move this one here: `saga task adopt`.",
    },
  );
