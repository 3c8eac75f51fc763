// One process at a time changes a folder.
//
// A writer creates a file named after its process in the folder, then looks for others. If a living process has one
// there too, the writer removes its own and tries again: everyone creates before looking, so two can never both
// believe they are alone. A dead process's file is recognised by its name and removed; names are never reused, so a
// live lock cannot be removed by mistake.
//
// The file is also where the next content is written. Moving or linking it into place commits the change and unlocks
// in one step, and a writer whose lock was removed has nothing left to move: it cannot commit.

import { closeSync, openSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { diskError, errorCode, fillAndSync, ifThere, makeFolder } from "./files.ts";
import { isAlive, newLockName, ownerOf } from "./lock-name.ts";

const PREFIX = ".write.";
/** Folders in which lock owners prepare changes of several files; removed when their owner is dead. */
const PREPARED = ".transaction.";
/** A change takes milliseconds. An owner that takes this long is suspended, and a person should know. */
const MAX_WAIT_MS = 10_000;

export interface FolderLock {
  readonly file: string;
  /** The same file, open and empty. */
  readonly handle: number;
  /** Whether the file was moved into place, which unlocks the folder. */
  isSpent: boolean;
}

export interface LockedFolder {
  /** To be moved or linked into place. */
  readonly file: string;
  /** Fills the file, once, and syncs it. */
  readonly write: (text: string) => void;
}

/** `act` is synchronous, so that the lock is short. When it returns undefined, it gets another turn. */
export async function withLock<T>(
  folder: string,
  act: (locked: LockedFolder) => T | undefined,
): Promise<T> {
  const deadline = performance.now() + MAX_WAIT_MS;
  while (performance.now() < deadline) {
    makeFolder(folder);
    const lock = await lockFolder(folder);
    const result = lock && actLocked(folder, lock, act);
    if (result !== undefined) return result;
    await wait(Math.random() * 20);
  }
  throw new SagaError("in-use", `Too many processes are writing to ${folder}.`, {
    hint: "Run the command again.",
  });
}

/** Undefined when the lock was removed meanwhile: its process was taken for dead. */
function actLocked<T>(
  folder: string,
  lock: FolderLock,
  act: (locked: LockedFolder) => T | undefined,
): T | undefined {
  try {
    // Through the handle: by its name, a file that was removed would come back.
    return act({ file: lock.file, write: (text) => fillAndSync(lock.handle, text) });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw diskError(error, folder);
  } finally {
    releaseLock(lock);
  }
}

/** Undefined when the folder does not exist (any more). */
export async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    const attempt = tryLock(folder);
    if (attempt !== "held") return attempt;
    // Try again only when the folder is free: each attempt makes others back off too.
    await untilFree(folder, deadline);
    // A random pause, so that writers who collided do not collide again.
    await wait(pauseMs * Math.random());
  }
}

/** Undefined when the folder does not exist. */
export function tryLock(folder: string): FolderLock | "held" | undefined {
  const name = newLockName(PREFIX);
  const file = join(folder, name);
  const handle = create(file);
  if (handle === undefined) return undefined;
  const lock = { file, handle, isSpent: false };
  try {
    if (livingOwner(folder, name) === undefined) return lock;
    releaseLock(lock);
    return "held";
  } catch (error) {
    releaseLock(lock);
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

export function releaseLock(lock: FolderLock): void {
  closeSync(lock.handle);
  if (!lock.isSpent) rmSync(lock.file, { force: true });
}

export async function untilFree(
  folder: string,
  deadline = performance.now() + MAX_WAIT_MS,
): Promise<void> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    const pid = ifThere(() => livingOwner(folder));
    if (pid === undefined) return;
    if (performance.now() >= deadline) {
      throw new SagaError("in-use", `Process ${pid} is writing to ${folder}.`, {
        hint: `Wait for it, or end it (\`kill ${pid}\`), and run the command again.`,
      });
    }
    await wait(pauseMs * (0.5 + Math.random()));
  }
}

export const isLocked = (folder: string): boolean => livingOwner(folder) !== undefined;

/** Whether there are locks or prepared changes, of living or dead processes. */
export const hasLockFiles = (folder: string): boolean =>
  readdirSync(folder).some((name) => name.startsWith(PREFIX) || name.startsWith(PREPARED));

/** Removes every lock from a folder that goes away: their owners cannot commit any more. */
export function breakLocks(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(PREFIX)) rmSync(join(folder, name), { force: true });
  }
}

function create(file: string): number | undefined {
  try {
    return openSync(file, "wx", 0o644);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw diskError(error, dirname(file));
  }
}

/** The pid of another lock's owner. Removes what dead processes left. */
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
