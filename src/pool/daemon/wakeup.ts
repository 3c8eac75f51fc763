// Something to wait for: rung by whatever has changed, and by a slow clock behind it, because no file
// system promises to tell of everything.

import { watch, type FSWatcher } from "node:fs";

export interface Bell {
  readonly ring: () => void;
  /** Until it rings, or so long. A ring that nobody waited for counts for the next who does. */
  readonly next: (mostMs: number) => Promise<void>;
}

export function newBell(): Bell {
  let hasRung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    next(mostMs) {
      return new Promise((resolve) => {
        const timer = setTimeout(end, mostMs);
        wake = end;
        if (hasRung) end();

        function end(): void {
          clearTimeout(timer);
          hasRung = false;
          wake = undefined;
          resolve();
        }
      });
    },
  };
}

/** Answers a function that ends it. Where the system cannot watch, the slow clock has to do. */
export function ringWhenChanged(folder: string, bell: Bell): () => void {
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(folder, { persistent: false }, bell.ring);
    watcher.on("error", () => watcher?.close());
  } catch {
    return () => undefined;
  }
  return () => watcher?.close();
}
