// Lets one process at a time change a folder.
//
// A process creates a lock file named after itself, then lists the folder. Everyone creates before listing, so two
// processes never both see themselves alone. The name tells whether the owner is dead; then the file is removed. No name
// is used twice.
//
// The lock file also takes the new content, and moving or linking it into place is the change. A process that was
// wrongly taken for dead has lost its file, so it cannot change anything.

import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { diskError, errorCode, fillAndSync, listNames, makeFolder } from "./files.ts";
import { isAlive, newLockName, ownerOf, type LockOwner } from "./lock-name.ts";

/** The lock is held for milliseconds. After this time its owner hangs, and a person should know. */
const PATIENCE_MS = 10_000;

export interface Turn {
  /** Move or link it into place. */
  readonly file: string;
  /** Writes the file's content, once, and fsyncs it. */
  readonly write: (text: string) => void;
}

/** `act` is synchronous to keep the lock short. When it returns undefined, it is called again with a new lock. */
export async function takeTurn<T>(folder: string, act: (turn: Turn) => T | undefined): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    makeFolder(folder);
    // While the folder is locked, another file would only hold up others.
    const busy = ownerIn(folder);
    const result = busy === undefined ? tryTurn(folder, act) : undefined;
    if (result !== undefined) return result;
    if (performance.now() >= deadline) throw inUse(folder, busy);
    // Random, so that processes that collided do not collide again.
    await wait(pauseMs * (0.5 + Math.random()));
  }
}

/** Undefined when another process wanted the lock too, or took this one for dead. */
function tryTurn<T>(folder: string, act: (turn: Turn) => T | undefined): T | undefined {
  const name = newLockName(PREFIX);
  const file = join(folder, name);
  let handle: number | undefined;
  try {
    const opened = openSync(file, "wx", 0o644);
    handle = opened;
    if (ownerIn(folder, name) !== undefined) return undefined;
    // Through the handle: writing by name would bring back a file that another process removed.
    return act({ file, write: (text) => fillAndSync(opened, text) });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw diskError(error, folder);
  } finally {
    if (handle !== undefined) closeSync(handle);
    rmSync(file, { force: true });
  }
}

/** The living owner of another lock file. Removes those of dead processes. */
function ownerIn(folder: string, ownName?: string): LockOwner | undefined {
  for (const name of listNames(folder)) {
    const owner = name === ownName || !name.startsWith(PREFIX) ? undefined : ownerOf(name);
    if (owner === undefined) continue;
    if (isAlive(owner, join(folder, name))) return owner;
    rmSync(join(folder, name), { force: true });
  }
  return undefined;
}

const PREFIX = ".turn.";

function inUse(folder: string, owner: LockOwner | undefined): SagaError {
  if (owner === undefined) {
    return new SagaError("in-use", `Too many processes are writing to ${folder}.`, {
      hint: "Run the command again.",
    });
  }
  return new SagaError("in-use", `Process ${owner.pid} is writing to ${folder}.`, {
    hint: `Wait for it, or end it (\`kill ${owner.pid}\`), and run the command again.`,
  });
}
