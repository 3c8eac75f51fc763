// One writer at a time in a project, whatever the process. Held for a millisecond; a writer that
// was killed is noticed by the next one, which first completes what that one had decided.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../errors.ts";
import { listFolder } from "../machine/files.ts";
import { startTimeOf } from "../machine/process.ts";
import { epicsFolder, leasesFolder, type Layout } from "./layout.ts";
import { acquireLease, readLease } from "./lease.ts";
import { findStories, newReading } from "./read.ts";
import { finishTransaction, hasTransaction } from "./transaction.ts";

/** Only judged where the owner's process cannot be seen, in another container for example. */
const TTL_MS = 30_000;
/** A writer needs milliseconds. One that takes this long is stopped, and a person should know. */
const PATIENCE_MS = 10_000;

export async function withWriteLock<T>(at: Layout, act: () => T): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    const acquired = acquireLease(lockFolder(at), { owner: "write", ttlMs: TTL_MS, now: Date.now });
    if (acquired.lease) {
      try {
        if (acquired.lease.tookOverFrom) cleanUpAfterCrash(at);
        if (hasTransaction(at)) finishTransaction(at);
        return act();
      } finally {
        acquired.lease.release();
      }
    }
    if (Date.now() > deadline) {
      throw new SagaError("in-use", `Process ${acquired.heldBy.pid} is writing to ${at.saga}.`, {
        hint: `Wait for it, or end it (\`kill ${acquired.heldBy.pid}\`), and run the command again.`,
      });
    }
    // Apart by chance, so that many waiting writers do not all come back at once.
    await wait(pauseMs * (0.5 + Math.random()));
  }
}

/** A reader finds no change half in place: whoever died over it, its list of moves is followed. */
export async function settle(at: Layout): Promise<void> {
  while (hasTransaction(at)) await withWriteLock(at, () => undefined);
}

export const writerOf = (at: Layout): ReturnType<typeof readLease> =>
  readLease(lockFolder(at), "write", Date.now());

const lockFolder = (at: Layout): string => join(leasesFolder(at), "write");

/** Removes temporary files whose writer is gone, where definitions are kept. */
function cleanUpAfterCrash(at: Layout): void {
  const folders = [
    at.saga,
    lockFolder(at),
    ...listFolder(epicsFolder(at)).map((entry) => join(epicsFolder(at), entry.name)),
    ...[...findStories(at, newReading()).values()].map((place) => place.folder),
  ];
  for (const folder of folders) {
    for (const { name } of listFolder(folder)) {
      const pid = /^\..+\.(?<pid>\d+)\.tmp$/.exec(name)?.groups?.["pid"];
      if (pid !== undefined && startTimeOf(Number(pid)) === undefined) {
        rmSync(join(folder, name), { force: true });
      }
    }
  }
}
