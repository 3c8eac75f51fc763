// The lock that Claude Code takes on a task (`<id>.json.lock`) or on the making of one (`.lock.lock`):
// a folder, so that the kernel lets exactly one make it. It names nobody. Claude waits about three
// seconds for one, and takes over one that is ten seconds old.

import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { diskError, errorCode, ifThere } from "../../machine/files/files.ts";

const PATIENCE_MS = 5_000;
const IS_STALE_MS = 10_000;
/** Enough to outlast the lock of someone who died with it. */
export const PATIENCE_WITH_THE_DEAD_MS = 15_000;

export interface LockOptions {
  readonly patienceMs?: number | undefined;
}

/** `file` is what is locked. `act` is to be brief: Claude may be waiting. */
export async function withTaskLock<T>(
  file: string,
  act: () => T | Promise<T>,
  { patienceMs = PATIENCE_MS }: LockOptions = {},
): Promise<T> {
  const lock = `${file}.lock`;
  const deadline = performance.now() + patienceMs;
  for (let pauseMs = 5; !tryLock(lock); pauseMs = Math.min(pauseMs * 2, 100)) {
    if (performance.now() > deadline) {
      throw new SagaError("in-use", `Claude Code is holding ${lock}.`, {
        hint: "Try again; a lock that nobody holds any more is taken over after ten seconds.",
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
  // As Claude does it: whoever removes the stale one still has to win the new one.
  if (takenAt !== undefined && Date.now() - takenAt > IS_STALE_MS) ifThere(() => rmdirSync(lock));
  return false;
}
