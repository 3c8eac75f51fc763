// Something to wait for. Callers also pass a time limit, because no file system reports every change.

import { watchFolder } from "./watch-folder.ts";

export interface Wakeup {
  readonly wake: () => void;
  /** Drops a wake-up that came since the last `next`. */
  readonly reset: () => void;
  /** Until woken, for at most `maxMs`, or until stop. Resolves at once after an earlier wake-up. */
  readonly next: (maxMs: number, stop?: AbortSignal) => Promise<void>;
}

export function newWakeup(): Wakeup {
  let isDue = false;
  let resume: (() => void) | undefined;
  return {
    wake() {
      isDue = true;
      resume?.();
    },
    reset() {
      isDue = false;
    },
    next(maxMs, stop) {
      return new Promise((resolve) => {
        const timer = setTimeout(end, maxMs);
        stop?.addEventListener("abort", end);
        resume = end;
        if (isDue || stop?.aborted) end();

        function end(): void {
          clearTimeout(timer);
          stop?.removeEventListener("abort", end);
          isDue = false;
          resume = undefined;
          resolve();
        }
      });
    },
  };
}

/** Returns the function that ends the watch. Without a watch, the caller's time limit is what wakes it. */
export function wakeOnChange(folder: string, { wake }: Wakeup): () => void {
  const watch = watchFolder(folder, { onEvent: wake });
  watch.renew();
  return watch.close;
}
