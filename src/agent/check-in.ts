// Check-ins: every few minutes the worker looks whether its agent still uses tools. One that has been
// silent for two of them is stuck. A call that runs is not silence as long as its processes do something, up
// to a limit of its own: a test suite may take its time. A call whose processes do nothing hangs.

import { MAX_TIMER_MS } from "../machine/processes/timer.ts";
import { count } from "../text/plural.ts";
import type { Settings } from "../story/settings/settings.ts";

export interface CheckInRules {
  readonly everyMs: number;
  /** So many silent ones in a row are too many. */
  readonly maxSilent: number;
  /** For one tool call. */
  readonly maxToolMs: number;
}

export const checkInRules = ({ watch }: Pick<Settings, "watch">): CheckInRules => ({
  everyMs: Math.min(watch.checkInMinutes * 60_000, MAX_TIMER_MS),
  maxSilent: watch.silentCheckIns,
  maxToolMs: watch.toolMinutes * 60_000,
});

export interface CheckIn {
  /** Tool calls since the last one. */
  readonly toolUses: number;
  /** How many in a row were silent, this one included. */
  readonly silent: number;
  /** The call that is still running, when there is one. */
  readonly inFlight?: { readonly tool: string; readonly ms: number } | undefined;
  /** Why the run has to be stopped, as a sentence. */
  readonly stuck?: string | undefined;
}

export interface Watch {
  readonly called: (id: string, tool: string) => void;
  readonly answered: (id: string) => void;
  /** The agent waits for the service, and says so: no tool use, and no silence either. */
  readonly waited: () => void;
  readonly end: () => void;
}

/** Watches one run, from now on. */
export function startWatch(
  rules: CheckInRules,
  now: () => number,
  onCheckIn: (checkIn: CheckIn) => void,
  /** Whether what the agent has started did anything in this time. */
  wasActive: (sinceMs: number) => boolean,
): Watch {
  const inFlight = new Map<string, { readonly tool: string; readonly fromMs: number }>();
  let toolUses = 0;
  let hasWaited = false;
  let silent = 0;
  const timer = setInterval(() => {
    const oldest = [...inFlight.values()][0];
    const running = oldest && { tool: oldest.tool, ms: now() - oldest.fromMs };
    // Asked each time, so that it tells of the time since the last check-in.
    const isWorking = wasActive(rules.everyMs) || (running && ANSWERED_HERE.test(running.tool));
    const checkIn = judge(rules, { toolUses, hasWaited, silent, inFlight: running, isWorking });
    ({ silent } = checkIn);
    toolUses = 0;
    hasWaited = false;
    onCheckIn(checkIn);
  }, rules.everyMs);
  return {
    called(id, tool) {
      toolUses++;
      inFlight.set(id, { tool, fromMs: now() });
    },
    answered(id) {
      inFlight.delete(id);
    },
    waited() {
      hasWaited = true;
    },
    end: () => clearInterval(timer),
  };
}

/** Calls that Saga itself answers, after checks that have limits of their own. */
const ANSWERED_HERE = /^(?:mcp__saga__|TaskUpdate$)/;

interface Seen {
  readonly toolUses: number;
  readonly hasWaited: boolean;
  readonly silent: number;
  readonly inFlight: CheckIn["inFlight"];
  /** Whether the call in flight shows that it does something. */
  readonly isWorking?: boolean | undefined;
}

export function judge(rules: CheckInRules, seen: Seen): CheckIn {
  const { toolUses, inFlight } = seen;
  if (inFlight && inFlight.ms > rules.maxToolMs) {
    const stuck = `A call of ${inFlight.tool} did not come back within ${minutes(rules.maxToolMs)}.`;
    return { toolUses, silent: 0, inFlight, stuck };
  }
  const isAtWork = inFlight !== undefined && seen.isWorking === true;
  const isSilent = toolUses === 0 && !seen.hasWaited && !isAtWork;
  const silent = isSilent ? seen.silent + 1 : 0;
  if (silent < rules.maxSilent) return { toolUses, silent, inFlight };
  const time = minutes(silent * rules.everyMs);
  const stuck = inFlight
    ? `A call of ${inFlight.tool} used no processor time and wrote nothing for ${time}.`
    : `It used no tool for ${time}.`;
  return { toolUses, silent, inFlight, stuck };
}

function minutes(ms: number): string {
  if (ms < 60_000) return `${ms / 1000} s`;
  const rounded = Math.round(ms / 6_000) / 10;
  return count(rounded, "minute");
}
