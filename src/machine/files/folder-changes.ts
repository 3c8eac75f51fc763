// Waits for a change in a set of folders, with pauses that keep a busy project from being read all the time.

import { pause } from "../processes/timer.ts";
import { newWakeup } from "./wakeup.ts";
import { watchFolder, type FolderWatch } from "./watch-folder.ts";

export interface FolderChanges {
  /** Replaces the set. A folder that appeared, disappeared or was replaced since the last call is a change. */
  readonly follow: (folders: readonly string[]) => void;
  /** Resolves after a change since it last resolved, after `maxMs`, or on stop. */
  readonly next: (maxMs: number, stop: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** One write causes several events. */
const DEBOUNCE_MS = 50;
/** The pause after a slow read, as a multiple of its duration. */
const PAUSE_FACTOR = 9;
const MAX_PAUSE_MS = 2_000;

export function followFolders(): FolderChanges {
  const watches = new Map<string, FolderWatch>();
  const wakeup = newWakeup();
  let resolvedAt = performance.now();

  return {
    follow(folders) {
      const wanted = new Set(folders);
      for (const [folder, watch] of watches) {
        if (wanted.has(folder)) continue;
        watch.close();
        watches.delete(folder);
      }
      for (const folder of wanted) {
        const watch = watches.get(folder) ?? watchFolder(folder, { onEvent: wakeup.wake });
        watches.set(folder, watch);
        if (watch.renew()) wakeup.wake();
      }
    },

    async next(maxMs, stop) {
      const pauseMs = Math.min(PAUSE_FACTOR * (performance.now() - resolvedAt), MAX_PAUSE_MS);
      const pausedUntil = performance.now() + pauseMs;
      await wakeup.next(maxMs, stop);
      await pause(Math.max(DEBOUNCE_MS, pausedUntil - performance.now()), stop);
      wakeup.reset();
      resolvedAt = performance.now();
    },

    close() {
      for (const watch of watches.values()) watch.close();
    },
  };
}
