// The time that an agent has: until its deadline, or a short grace once it has given its final answer.

import { MAX_TIMER_MS } from "../machine/processes/timer.ts";

export interface AgentDeadline {
  /** Aborts at the deadline, after the grace, on `end()`, and when the caller's `stop` aborts. */
  readonly signal: AbortSignal;
  /** The agent used up all of its time. False if it was ended for another reason. */
  readonly hasPassed: () => boolean;
  readonly end: () => void;
  /** The agent has given its final answer: it may take this long to end by itself. */
  readonly allowGrace: (graceMs: number) => void;
  /** Clears the timers once the agent has ended. */
  readonly clear: () => void;
}

export function startDeadline(timeoutMs: number, stop: AbortSignal): AgentDeadline {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  let hasPassed = false;
  const onTimeout = (): void => {
    hasPassed = true;
    end();
  };
  const timers = [setTimeout(onTimeout, Math.min(Math.max(0, timeoutMs), MAX_TIMER_MS))];
  stop.addEventListener("abort", end);
  if (stop.aborted) end();
  return {
    signal: ended.signal,
    hasPassed: () => hasPassed,
    end,
    allowGrace: (graceMs) => void timers.push(setTimeout(end, graceMs)),
    clear() {
      timers.forEach(clearTimeout);
      stop.removeEventListener("abort", end);
    },
  };
}
