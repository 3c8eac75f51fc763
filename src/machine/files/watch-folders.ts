// Waits for a change in folders. What the system tells is a reason to look, never a fact, and it may tell
// too little (a network disk, a limit of watches): whoever waits looks from time to time anyway.
//
// Folders, not what is below them: on Linux a watch on a tree goes blind for a file that was renamed into
// place, and that is how everything here is written.

import { statSync, watch, type FSWatcher } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

export interface FolderWatch {
  /** These from now on, as far as they are there. One that is new counts as changed. */
  readonly follow: (folders: readonly string[]) => void;
  /** Answers when something has changed since the last answer, or after this time, or when it is over. */
  readonly next: (maxMs: number, stop: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** One change is several events: those that come together are one. */
const TOGETHER_MS = 50;
/** Where much changes, a look that takes long is followed by a rest so many times as long, up to a limit. */
const REST = 9;
const LONGEST_REST_MS = 2_000;

interface Watched {
  readonly identity: string;
  /** Nothing when too many are watched already: then there is no event, and the next look finds it. */
  readonly watcher: FSWatcher | undefined;
}

export function watchFolders(): FolderWatch {
  const watched = new Map<string, Watched>();
  let isChanged = false;
  let answeredAt = performance.now();
  let wake = (): void => undefined;
  const changed = (): void => {
    isChanged = true;
    wake();
  };

  return {
    follow(folders) {
      const wanted = new Set(folders);
      for (const folder of watched.keys()) if (!wanted.has(folder)) forget(folder);
      for (const folder of wanted) look(folder);
    },

    async next(maxMs, stop) {
      const restMs = REST * (performance.now() - answeredAt);
      const restedAt = performance.now() + Math.min(restMs, LONGEST_REST_MS);
      if (!isChanged && !stop.aborted) await untilChanged(maxMs, stop);
      const leftMs = Math.max(TOGETHER_MS, restedAt - performance.now());
      await wait(leftMs, undefined, { signal: stop }).catch(() => undefined);
      isChanged = false;
      answeredAt = performance.now();
    },

    close() {
      for (const folder of watched.keys()) forget(folder);
    },
  };

  function look(folder: string): void {
    const identity = identityOf(folder);
    if (watched.get(folder)?.identity === identity) return;
    forget(folder);
    changed();
    if (identity !== undefined) watched.set(folder, { identity, watcher: begin(folder) });
  }

  function begin(folder: string): FSWatcher | undefined {
    try {
      const watcher = watch(folder, changed);
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  }

  function forget(folder: string): void {
    watched.get(folder)?.watcher?.close();
    watched.delete(folder);
  }

  function untilChanged(maxMs: number, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        stop.removeEventListener("abort", end);
        wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(end, maxMs);
      stop.addEventListener("abort", end);
      wake = end;
    });
  }
}

/** A folder that was removed and made again is another one, though it may get the same number. */
function identityOf(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.birthtimeNs}`;
}
