// The lock of Claude Code on a task (`<id>.json.lock`) or on the list (`.lock.lock`): a folder, because the kernel
// lets exactly one process create it. It does not name its owner. Claude waits about three seconds for a lock, and
// removes one that is ten seconds old.

import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { diskError, errorCode, ifThere } from "../../machine/files/files.ts";

const DEFAULT_WAIT_MS = 5_000;
const STALE_MS = 10_000;
/** Longer than the lock of a process that died lasts. */
export const STALE_LOCK_WAIT_MS = 15_000;

export interface LockOptions {
  readonly waitMs?: number | undefined;
}

/** Locks `file` during `act`, which must be brief: Claude may be waiting. */
export async function withTaskLock<T>(
  file: string,
  act: () => T | Promise<T>,
  { waitMs = DEFAULT_WAIT_MS }: LockOptions = {},
): Promise<T> {
  const lock = `${file}.lock`;
  const deadline = performance.now() + waitMs;
  for (let pauseMs = 5; !tryLock(lock); pauseMs = Math.min(pauseMs * 2, 100)) {
    if (performance.now() > deadline) {
      throw new SagaError("in-use", `The task list is locked by Claude Code (${lock}).`, {
        hint: "Run the command again. The lock of a dead process is removed after ten seconds.",
      });
    }
    await wait(pauseMs);
  }
  try {
    return await act();
  } finally {
    ifThere(() => rmdirSync(lock));
  }
}

function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw diskError(error, lock);
  }
  const takenAt = ifThere(() => statSync(lock).mtimeMs);
  // As Claude does: after removing a stale lock, a process still has to create its own.
  if (takenAt !== undefined && Date.now() - takenAt > STALE_MS) ifThere(() => rmdirSync(lock));
  return false;
}
