// A worker watches its daemon from its first moment to its last: without a daemon it has to end, and nobody else
// would end it.

import { livenessOf, thisProcess, type ProcessId } from "../../machine/processes/process-id.ts";
import { endProcesses, processTree } from "../../machine/processes/process-tree.ts";
import { readDaemon } from "../../tasks/daemon-files.ts";

export interface DaemonWatcher {
  /** Aborts when the daemon is gone, at once if it is gone already. */
  readonly gone: AbortSignal;
  readonly close: () => void;
}

const LOOK_EVERY_MS = 1_000;
/** As long as a daemon gives a worker to stop its agent and to keep the work. */
const GRACE_MS = 30_000;
const KILL_AFTER_MS = 1_000;

/** A worker that has not closed the watch `GRACE_MS` after the daemon is gone is ended with all it has started. */
export function watchDaemon(folder: string): DaemonWatcher {
  const daemon = readDaemon(folder)?.process;
  const controller = new AbortController();
  let deadline: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (controller.signal.aborted || !isGone(daemon)) return;
    deadline = setTimeout(() => void endHard(), GRACE_MS);
    controller.abort();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  look();
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
    // Too many open files, for example, prove nothing: the next look may.
    return false;
  }
}

async function endHard(): Promise<never> {
  await endProcesses(processTree(thisProcess()), { graceMs: KILL_AFTER_MS }).catch(() => undefined);
  process.exit(1);
}
