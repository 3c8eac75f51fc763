// The only caller of `fs.watch`.
//
// One folder, never a tree: on Linux a recursive watch misses a file that was renamed into place, and that is
// how Saga writes. Events are hints: a network disk or the system's limit of watches may lose some, so every
// caller also polls.

import { statSync, watch, type FSWatcher } from "node:fs";
import { errorCode } from "./files.ts";

export interface FolderWatch {
  /**
   * Starts the watch if the folder exists and is not watched yet. Returns whether the folder is another one than
   * at the last call: it appeared, disappeared or was replaced.
   */
  readonly renew: () => boolean;
  readonly isWatching: () => boolean;
  readonly close: () => void;
}

export interface FolderWatchEvents {
  /** The name is missing where the system does not report it. */
  readonly onEvent: (kind: string, name: string | undefined) => void;
  /** Usually the limit of watches (ENOSPC, EMFILE). The next `renew` tries again. */
  readonly onError?: (error: unknown) => void;
}

export function watchFolder(
  folder: string,
  { onEvent, onError = () => undefined }: FolderWatchEvents,
): FolderWatch {
  let watcher: FSWatcher | undefined;
  let identity: string | undefined;

  return {
    renew() {
      const current = identityOf(folder);
      const isOther = current !== identity;
      if (isOther) stop();
      identity = current;
      if (identity !== undefined && watcher === undefined) start();
      return isOther;
    },
    isWatching: () => watcher !== undefined,
    close() {
      stop();
      identity = undefined;
    },
  };

  function start(): void {
    try {
      // The caller decides how long the process lives, not the watch.
      const started = watch(folder, { persistent: false });
      started.on("change", (kind, name) => onEvent(kind, name?.toString()));
      started.on("error", (error) => {
        started.close();
        if (watcher === started) watcher = undefined;
        onError(error);
      });
      watcher = started;
    } catch (error) {
      // ENOENT: removed since it was looked at. The next `renew` sees that.
      if (errorCode(error) !== "ENOENT") onError(error);
    }
  }

  function stop(): void {
    watcher?.close();
    watcher = undefined;
  }
}

/** With the time of birth, because a new folder may get the inode of a removed one. */
function identityOf(folder: string): string | undefined {
  try {
    const stat = statSync(folder, { bigint: true, throwIfNoEntry: false });
    return stat?.isDirectory() ? `${stat.ino} ${stat.birthtimeNs}` : undefined;
  } catch {
    // Not permitted, for example: the caller's own read reports that.
    return undefined;
  }
}
