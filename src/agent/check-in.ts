// Check-ins: every few minutes the worker checks whether its agent still uses tools. An agent that was
// silent at several check-ins in a row is stuck. A running call is not silence while its processes are
// active, up to a separate limit: a test suite may take long. A call with inactive processes hangs.

import type { StoryEvent } from "../story/state/story-event.ts";
import { MAX_TIMER_MS } from "../machine/processes/timer.ts";
import { count } from "../text/plural.ts";
import type { Settings } from "../story/settings/settings.ts";

export interface CheckInRules {
  readonly everyMs: number;
  /** The agent is stuck after this many silent check-ins in a row. */
  readonly maxSilent: number;
  /** The time limit of one tool call. */
  readonly maxToolMs: number;
}

export const checkInRules = ({ watch }: Pick<Settings, "watch">): CheckInRules => ({
  everyMs: Math.min(watch.checkInMinutes * 60_000, MAX_TIMER_MS),
  maxSilent: watch.silentCheckIns,
  maxToolMs: watch.toolMinutes * 60_000,
});

export interface CheckIn extends Omit<Extract<StoryEvent, { type: "check-in" }>, "type"> {
  /** Why the run must be stopped, as a sentence. */
  readonly stuck?: string | undefined;
}

export interface CheckIns {
  readonly called: (id: string, tool: string) => void;
  readonly answered: (id: string) => void;
  /** The agent reports that it waits for the service: not a tool call, but not silence either. */
  readonly retried: () => void;
  readonly end: () => void;
}

/** Watches one agent run from now on. */
export function startCheckIns(
  rules: CheckInRules,
  now: () => number,
  onCheckIn: (checkIn: CheckIn) => void,
  /** Whether a process of the agent was active in this time. */
  wasActive: (sinceMs: number) => boolean,
): CheckIns {
  const inFlight = new Map<string, { readonly tool: string; readonly fromMs: number }>();
  let toolUses = 0;
  let hasRetried = false;
  let silent = 0;
  const timer = setInterval(() => {
    const oldest = [...inFlight.values()][0];
    const running = oldest && { tool: oldest.tool, ms: now() - oldest.fromMs };
    // Called each time, so that it covers the time since the last check-in.
    const isWorking = wasActive(rules.everyMs) || (running && ANSWERED_BY_SAGA.test(running.tool));
    const checkIn = judge(rules, { toolUses, hasRetried, silent, inFlight: running, isWorking });
    ({ silent } = checkIn);
    toolUses = 0;
    hasRetried = false;
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
    retried() {
      hasRetried = true;
    },
    end: () => clearInterval(timer),
  };
}

/** Calls that Saga answers itself, after checks with their own time limits. */
const ANSWERED_BY_SAGA = /^(?:mcp__saga__|TaskUpdate$)/;

interface Activity {
  readonly toolUses: number;
  readonly hasRetried: boolean;
  readonly silent: number;
  readonly inFlight: CheckIn["inFlight"];
  /** Whether the processes of the running call are active. */
  readonly isWorking?: boolean | undefined;
}

export function judge(rules: CheckInRules, activity: Activity): CheckIn {
  const { toolUses, inFlight } = activity;
  if (inFlight && inFlight.ms > rules.maxToolMs) {
    const stuck = `A call of ${inFlight.tool} did not return within ${minutes(rules.maxToolMs)}.`;
    return { toolUses, silent: 0, inFlight, stuck };
  }
  const isAtWork = inFlight !== undefined && activity.isWorking === true;
  const isSilent = toolUses === 0 && !activity.hasRetried && !isAtWork;
  const silent = isSilent ? activity.silent + 1 : 0;
  if (silent < rules.maxSilent) return { toolUses, silent, inFlight };
  const time = minutes(silent * rules.everyMs);
  const stuck = inFlight
    ? `A call of ${inFlight.tool} used no processor time and wrote nothing for ${time}.`
    : `The agent used no tool for ${time}.`;
  return { toolUses, silent, inFlight, stuck };
}

function minutes(ms: number): string {
  if (ms < 60_000) return `${ms / 1000} s`;
  const rounded = Math.round(ms / 6_000) / 10;
  return count(rounded, "minute");
}
