// Runs an action soon after it was requested: never twice at the same time, at most once per interval,
// and once for any number of requests in between.

export interface Throttled {
  readonly request: () => void;
  /** Accepts no more requests; resolves when a running action has ended. */
  readonly end: () => Promise<void>;
}

export function throttle(
  act: () => Promise<void>,
  everyMs: number,
  onError: (error: unknown) => void,
): Throttled {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isRequested = false;
  let isEnded = false;
  let lastMs = -Infinity;
  const run = (): void => {
    timer = undefined;
    isRequested = false;
    lastMs = performance.now();
    running = Promise.resolve()
      .then(act)
      .catch(onError)
      .finally(() => {
        running = undefined;
        if (isRequested) request();
      });
  };
  const request = (): void => {
    if (isEnded || timer) return;
    isRequested = true;
    if (running) return;
    timer = setTimeout(run, Math.max(0, lastMs + everyMs - performance.now()));
  };
  return {
    request,
    async end() {
      isEnded = true;
      clearTimeout(timer);
      await running;
    },
  };
}
