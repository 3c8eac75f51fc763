// One writer at a time in a folder, whatever the process.
//
// A writer puts a file of its own into the folder, named after the process, and then looks round: if
// there is another one of a living process, it takes its own away and tries again. Whoever sees none
// is alone, because everyone puts before looking. A dead process's file is known by its name and
// removed; no name is ever used twice, so nobody's live lock can be removed by mistake.
//
// The file is also where the next content is written: moving it into place commits the change and
// gives up the lock in one step, so that locking costs a durable write next to nothing. And a writer
// whose lock was removed has nothing left to move: it cannot commit any more.
//
// Who changes one file locks its folder. Who changes several locks `.saga` and then those folders.

import { closeSync, openSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { diskError, errorCode, ifThere, makeFolder } from "../../machine/files/files.ts";
import type { Layout, WriteLock } from "../project/layout.ts";
import { isAlive, newLockName, ownerOf } from "../../machine/files/lock-name.ts";
import { finishTransaction, hasTransaction } from "./transaction.ts";

const PREFIX = ".write.";
/** What a change of several files is prepared in, until it is decided. */
const PREPARED = ".transaction.";
/** A writer needs milliseconds. One that takes this long is stopped, and a person should know. */
const PATIENCE_MS = 10_000;

/** A folder that is looked for anew, unless the last answer is still right. */
export interface Sought {
  /** Distinguishes it from others of the project. */
  readonly name: string;
  readonly find: () => string;
  /** Asked under the lock, where it counts: until then the folder may move. */
  readonly isStillRight: (folder: string) => boolean;
}

/** For a change of one file. */
export async function withFolderLock<T>(
  at: Layout,
  sought: Sought,
  act: (lock: WriteLock) => T,
): Promise<T> {
  const key = `${at.saga}\n${sought.name}`;
  for (;;) {
    const guess = lastFound.get(key);
    const folder = guess ?? sought.find();
    const lock = await lockFolder(at, folder);
    if (lock !== undefined) {
      try {
        // A change that is decided has to be in place before anyone builds on what it changes.
        if (!hasTransaction(at) && sought.isStillRight(folder)) {
          lastFound.set(key, folder);
          return act(lock);
        }
      } finally {
        giveUp(lock);
      }
      await settle(at);
    }
    lastFound.delete(key);
  }
}

const lastFound = new Map<string, string>();

/**
 * For a change of several files. `findFolders` names those that exist and will be written to. Nobody
 * is waited for while something is held: who cannot have all of them lets go and begins again.
 */
export async function withProjectLock<T>(
  at: Layout,
  findFolders: () => readonly string[],
  act: (lock: WriteLock) => T,
): Promise<T> {
  makeFolder(at.saga);
  for (;;) {
    const project = await lockFolder(at, at.saga);
    if (project === undefined) continue;
    const held = [project];
    let busy: string | undefined;
    try {
      if (hasTransaction(at)) finishTransaction(at);
      for (const folder of new Set(findFolders())) {
        const attempt = tryLock(at, folder);
        if (attempt?.lock) held.push(attempt.lock);
        else if (attempt) busy ??= folder;
      }
      // What was found before the locks may have moved until they were all there.
      const locked = new Set(held.map((lock) => dirname(lock.file)));
      if (busy === undefined && findFolders().every((folder) => locked.has(folder))) {
        return act(project);
      }
    } finally {
      held.forEach(giveUp);
    }
    if (busy !== undefined) await untilFree(busy, Date.now() + PATIENCE_MS);
  }
}

/** A reader finds no change half in place: whoever died over it, its list of moves is followed. */
export async function settle(at: Layout): Promise<void> {
  while (hasTransaction(at)) {
    await withProjectLock(
      at,
      () => [],
      () => undefined,
    );
  }
}

/** Whether anyone writes in a folder, or died there. */
export const hasLocks = (folder: string): boolean =>
  readdirSync(folder).some((name) => name.startsWith(PREFIX) || name.startsWith(PREPARED));

export const isBeingWritten = (folder: string): boolean => livingOwner(folder) !== undefined;

/** Removes every lock from a folder that is going away: their owners can commit nothing any more. */
export function breakLocks(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(PREFIX)) rmSync(join(folder, name), { force: true });
  }
}

/** Nothing when the folder is not there (any more). */
async function lockFolder(at: Layout, folder: string): Promise<WriteLock | undefined> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    const attempt = tryLock(at, folder);
    if (attempt === undefined) return undefined;
    if (attempt.lock) return attempt.lock;
    // From now on only put a file there when the way is free: it would stop others as well.
    await untilFree(folder, deadline);
    // Apart by chance, so that writers who met do not meet again.
    await wait(pauseMs * Math.random());
  }
}

async function untilFree(folder: string, deadline: number): Promise<void> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    const heldBy = ifThere(() => livingOwner(folder));
    if (heldBy === undefined) return;
    if (Date.now() >= deadline) {
      throw new SagaError("in-use", `Process ${heldBy} is writing to ${folder}.`, {
        hint: `Wait for it, or end it (\`kill ${heldBy}\`), and run the command again.`,
      });
    }
    await wait(pauseMs * (0.5 + Math.random()));
  }
}

type Attempt = { readonly lock: WriteLock } | { readonly lock?: never; readonly heldBy: number };

/** Nothing when the folder is not there. */
function tryLock(at: Layout, folder: string): Attempt | undefined {
  const name = newLockName(PREFIX);
  const file = join(folder, name);
  const handle = create(file);
  if (handle === undefined) return undefined;
  const lock = { ...at, file, handle, isSpent: false };
  try {
    const heldBy = livingOwner(folder, name);
    if (heldBy === undefined) return { lock };
    giveUp(lock);
    return { heldBy };
  } catch (error) {
    giveUp(lock);
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function giveUp(lock: WriteLock): void {
  closeSync(lock.handle);
  if (!lock.isSpent) rmSync(lock.file, { force: true });
}

function create(file: string): number | undefined {
  try {
    return openSync(file, "wx", 0o644);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw diskError(error, dirname(file));
  }
}

/** The process of another lock in the folder; what the dead have left is cleared away. */
function livingOwner(folder: string, ownName?: string): number | undefined {
  for (const name of readdirSync(folder)) {
    const isLock = name.startsWith(PREFIX);
    if ((!isLock && !name.startsWith(PREPARED)) || name === ownName) continue;
    const owner = ownerOf(name);
    if (owner === undefined) continue;
    if (!isAlive(owner, join(folder, name))) {
      rmSync(join(folder, name), { recursive: true, force: true });
    } else if (isLock) return owner.pid;
  }
  return undefined;
}
