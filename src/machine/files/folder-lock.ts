// One process at a time changes a folder.
//
// Whoever wants to puts a file of its own into the folder, named after the process, and then looks
// round: everyone puts before looking, so two can never both find themselves alone. A dead process's
// file is known by its name and removed; no name is ever used twice.
//
// The file is also where the next content goes. Moving or linking it into place is the change, and
// whoever was taken for dead has nothing left to move: it cannot change anything any more.

import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { diskError, errorCode, fillAndSync, listNames, makeFolder } from "./files.ts";
import { isAlive, newLockName, ownerOf, type LockOwner } from "./lock-name.ts";

/** A turn takes milliseconds. Whoever holds one this long is stopped, and a person should know. */
const PATIENCE_MS = 10_000;

export interface Turn {
  /** To be moved or linked into place. */
  readonly file: string;
  /** Fills the file, once, and makes it survive a power cut. */
  readonly write: (text: string) => void;
}

/**
 * `act` is synchronous, so that a turn is short. It returns nothing when it met something that it has
 * to look at anew: then it gets another turn.
 */
export async function takeTurn<T>(folder: string, act: (turn: Turn) => T | undefined): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    makeFolder(folder);
    // Nobody puts a file there while another is at it: it would stop others as well.
    const busy = ownerIn(folder);
    const result = busy === undefined ? tryTurn(folder, act) : undefined;
    if (result !== undefined) return result;
    if (performance.now() >= deadline) throw inUse(folder, busy);
    // Apart by chance, so that those who met do not meet again.
    await wait(pauseMs * (0.5 + Math.random()));
  }
}

/** Nothing when someone else was there too, or has taken this process for dead. */
function tryTurn<T>(folder: string, act: (turn: Turn) => T | undefined): T | undefined {
  const name = newLockName(PREFIX);
  const file = join(folder, name);
  let handle: number | undefined;
  try {
    const opened = openSync(file, "wx", 0o644);
    handle = opened;
    if (ownerIn(folder, name) !== undefined) return undefined;
    // Through the handle: by its name, a file that was taken away would come back.
    return act({ file, write: (text) => fillAndSync(opened, text) });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw diskError(error, folder);
  } finally {
    if (handle !== undefined) closeSync(handle);
    rmSync(file, { force: true });
  }
}

/** The living owner of another file; what the dead have left is cleared away. */
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
