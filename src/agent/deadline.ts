// The time that an agent has: until a deadline, and, once all is said, only as long as a goodbye takes.

import { MAX_TIMER_MS } from "../machine/processes/timer.ts";

export interface AgentTime {
  /** Aborts when its time is up, when it is ended, and when whoever gave it the time stops. */
  readonly signal: AbortSignal;
  /** Whether it had until the deadline, and took longer. */
  readonly isUp: () => boolean;
  readonly end: () => void;
  /** It has said all that there was to say. */
  readonly goodbye: (graceMs: number) => void;
  /** For when the agent is gone. */
  readonly forget: () => void;
}

export function giveTime(timeoutMs: number, stop: AbortSignal): AgentTime {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  let isUp = false;
  const onTime = (): void => {
    isUp = true;
    end();
  };
  const timers = [setTimeout(onTime, Math.min(Math.max(0, timeoutMs), MAX_TIMER_MS))];
  stop.addEventListener("abort", end);
  if (stop.aborted) end();
  return {
    signal: ended.signal,
    isUp: () => isUp,
    end,
    goodbye: (graceMs) => void timers.push(setTimeout(end, graceMs)),
    forget() {
      timers.forEach(clearTimeout);
      stop.removeEventListener("abort", end);
    },
  };
}
