// Check-ins: every few minutes the worker looks whether its agent still uses tools. One that has been
// silent for two of them is stuck, and so is a tool call that never comes back. A long call that is
// still within its own, generous limit is no silence: a test suite may take its time.

import { MAX_TIMER_MS } from "../machine/timer.ts";
import { count } from "../story/count.ts";
import type { Settings } from "../story/settings.ts";

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
): Watch {
  const inFlight = new Map<string, { readonly tool: string; readonly fromMs: number }>();
  let toolUses = 0;
  let hasWaited = false;
  let silent = 0;
  const timer = setInterval(() => {
    const oldest = [...inFlight.values()][0];
    const running = oldest && { tool: oldest.tool, ms: now() - oldest.fromMs };
    const checkIn = judge(rules, { toolUses, hasWaited, silent, inFlight: running });
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

interface Seen {
  readonly toolUses: number;
  readonly hasWaited: boolean;
  readonly silent: number;
  readonly inFlight: CheckIn["inFlight"];
}

export function judge(rules: CheckInRules, seen: Seen): CheckIn {
  const { toolUses, inFlight } = seen;
  if (inFlight && inFlight.ms > rules.maxToolMs) {
    const stuck = `A call of ${inFlight.tool} did not come back within ${minutes(rules.maxToolMs)}.`;
    return { toolUses, silent: 0, inFlight, stuck };
  }
  const isSilent = toolUses === 0 && !seen.hasWaited && inFlight === undefined;
  const silent = isSilent ? seen.silent + 1 : 0;
  if (silent < rules.maxSilent) return { toolUses, silent, inFlight };
  const stuck = `It used no tool for ${minutes(silent * rules.everyMs)}.`;
  return { toolUses, silent, stuck };
}

function minutes(ms: number): string {
  if (ms < 60_000) return `${ms / 1000} s`;
  const rounded = Math.round(ms / 6_000) / 10;
  return count(rounded, "minute");
}
