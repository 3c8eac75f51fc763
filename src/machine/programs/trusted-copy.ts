// A copy of a repository's guarded files, taken before an agent or a check runs and removed when the last of them has
// ended. While it exists, what differs from it is not trusted. It is in the user's state folder: after a kill, or a
// power cut, the next process finds it there.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseJson } from "../../text/parse-json.ts";
import { withLock } from "../files/folder-lock.ts";
import { makeFolder, readTextIfThere, syncFolder, writeDurably } from "../files/files.ts";
import { removeTree } from "../files/remove-tree.ts";
import { openStateFolder, stateFolder } from "../files/state-folder.ts";
import type { Environment } from "../processes/environment.ts";
import { livenessOf, thisProcess, type ProcessId } from "../processes/process-id.ts";
import { processesWith, type ProcessMark } from "../processes/process-tree.ts";
import { bytesOf, copyEntry, guardedFiles } from "./guarded-files.ts";

/** A process that runs agents or checks. */
export interface Holder {
  readonly id: string;
  readonly process: ProcessId;
  /** What its agents and checks are known by: they may outlive it. */
  readonly mark: ProcessMark;
  readonly since: number;
}

/** Of a holder in another container, which cannot be seen from here. */
const UNSEEN_HOLDER_MS = 24 * 60 * 60_000;

export const guardFolder = (commonDir: string, env: Environment): string =>
  join(guardFolders(env), createHash("sha256").update(commonDir).digest("hex").slice(0, 16));

export const guardFolders = (env: Environment): string => join(stateFolder(env), "git-config");

/** Exists while the guard is up. */
export const trustedIn = (guard: string): string => join(guard, "trusted");
const holdersIn = (guard: string): string => join(guard, "holders.json");

export function newHolder(mark: ProcessMark): Holder {
  const id = Math.random().toString(36).slice(2);
  return { id, process: thisProcess(), mark, since: Date.now() };
}

/** Takes the copy, unless another holder has. */
export async function addHolder(
  { commonDir, env }: { readonly commonDir: string; readonly env: Environment },
  holder: Holder,
): Promise<void> {
  openStateFolder(env);
  const guard = guardFolder(commonDir, env);
  await withLock(guard, () => {
    const isUp = existsSync(trustedIn(guard));
    writeDurably(holdersIn(guard), JSON.stringify([...(isUp ? readHolders(guard) : []), holder]));
    if (!isUp) takeCopy(commonDir, guard);
    return true;
  });
}

/** Removes the copy with the last holder. */
export async function removeHolder(guard: string, id: string): Promise<void> {
  if (!existsSync(guard)) return;
  await withLock(guard, () => {
    const others = readHolders(guard).filter((holder) => holder.id !== id);
    if (others.some(isAtWork)) writeDurably(holdersIn(guard), JSON.stringify(others));
    else removeCopy(guard);
    return true;
  });
}

/** Whether all who held it were killed, and left nothing running. */
export const isAbandoned = (guard: string): boolean => !readHolders(guard).some(isAtWork);

/** After a kill, when nothing is left running: what people change from now on is theirs. */
export const removeAbandoned = (guard: string): Promise<void> => removeHolder(guard, "");

function isAtWork({ process: owner, mark, since }: Holder): boolean {
  switch (livenessOf(owner)) {
    case "alive":
      return true;
    case "unknown":
      return Date.now() - since < UNSEEN_HOLDER_MS;
    case "dead":
      return processesWith(...mark).length > 0;
  }
}

/** Written by Saga alone. One that cannot be read holds nothing. */
function readHolders(guard: string): readonly Holder[] {
  const read = parseJson(readTextIfThere(holdersIn(guard)) ?? "");
  return Array.isArray(read) ? (read as Holder[]) : [];
}

/** Whole or not there. */
function takeCopy(commonDir: string, guard: string): void {
  for (const name of readdirSync(guard)) {
    if (name.startsWith(UNFINISHED)) removeTree(join(guard, name));
  }
  const copy = join(guard, `${UNFINISHED}${Math.random().toString(36).slice(2)}`);
  mkdirSync(copy);
  const { configs, files } = guardedFiles(commonDir);
  for (const path of files) copyEntry(join(commonDir, path), join(copy, path));
  for (const path of configs) {
    const bytes = bytesOf(join(commonDir, path));
    if (bytes === undefined) continue;
    makeFolder(dirname(join(copy, path)), { isDurable: false });
    writeFileSync(join(copy, path), bytes);
  }
  renameSync(copy, trustedIn(guard));
  syncFolder(guard);
}

const UNFINISHED = ".trusted.";

/** The copy first: without it, holders mean nothing. */
function removeCopy(guard: string): void {
  const gone = join(guard, `${UNFINISHED}${Math.random().toString(36).slice(2)}`);
  if (existsSync(trustedIn(guard))) renameSync(trustedIn(guard), gone);
  removeTree(gone);
  removeTree(holdersIn(guard));
}
