// A worker watches its daemon from start to end: without a daemon it has to end, and no other process would end it.

import { livenessOf, thisProcess, type ProcessId } from "../../machine/processes/process-id.ts";
import { endProcesses, processTree } from "../../machine/processes/process-tree.ts";
import { readDaemon } from "../../tasks/daemon-files.ts";

export interface DaemonWatcher {
  /** Aborts when the daemon has ended; at once if it already has. */
  readonly gone: AbortSignal;
  readonly close: () => void;
}

const CHECK_EVERY_MS = 1_000;
/** The time that a daemon gives a worker to stop its agent and take a snapshot. */
const GRACE_MS = 30_000;
const KILL_AFTER_MS = 1_000;

/** If the worker has not closed the watch `GRACE_MS` after the daemon's end, it is killed with all its processes. */
export function watchDaemon(folder: string): DaemonWatcher {
  const daemon = readDaemon(folder)?.process;
  const controller = new AbortController();
  let deadline: NodeJS.Timeout | undefined;
  const check = (): void => {
    if (controller.signal.aborted || !isGone(daemon)) return;
    deadline = setTimeout(() => void kill(), GRACE_MS);
    controller.abort();
  };
  const timer = setInterval(check, CHECK_EVERY_MS);
  check();
  return {
    gone: controller.signal,
    close() {
      clearInterval(timer);
      clearTimeout(deadline);
    },
  };
}

function isGone(daemon: ProcessId | undefined): boolean {
  if (daemon === undefined) return true;
  try {
    return livenessOf(daemon) === "dead";
  } catch {
    // An error, such as too many open files, proves nothing: the next check may.
    return false;
  }
}

async function kill(): Promise<never> {
  await endProcesses(processTree(thisProcess()), { graceMs: KILL_AFTER_MS }).catch(() => undefined);
  process.exit(1);
}
