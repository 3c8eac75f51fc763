// Drains one agent run when its own cost limit is reached, or a budget that it shares with others is spent.

import type { UsageMeter } from "../agent.ts";
import type { AgentMeter } from "../cost.ts";
import type { AgentControl, JobHooks, SharedBudget } from "../job.ts";
import { DRAINED, isOverdrawn, newDrain, type DrainState } from "./drain.ts";

interface DrainOptions {
  readonly budget: SharedBudget | undefined;
  /** The run's own limit. */
  readonly maxCostUsd: number | undefined;
  readonly hooks: JobHooks;
  readonly meter: AgentMeter;
  readonly control: Pick<AgentControl, "finish">;
  /** Ends the agent at once. */
  readonly end: () => void;
}

interface DrainedAgent {
  readonly hooks: JobHooks;
  /**
   * The limit is enforced after each answer. If the agent knew it, it would be told what is left at every turn.
   */
  readonly meter: UsageMeter;
  /** Undefined if the agent was not drained. */
  readonly state: () => DrainState | undefined;
  readonly close: () => void;
}

/** A drain takes at most this long, unless Saga itself still runs a check for the agent. */
const DRAIN_MS = 120_000;
const BUSY_POLL_MS = 1_000;

export function drainAgent(options: DrainOptions): DrainedAgent {
  const { budget, maxCostUsd = Infinity, hooks, meter, control, end } = options;
  const drain = newDrain();
  let timer: NodeJS.Timeout | undefined;
  const onSpent = (): void => start(budget?.reason() ?? "The budget is spent.", true);
  if (budget?.signal.aborted) onSpent();
  else budget?.signal.addEventListener("abort", onSpent, { once: true });
  return {
    state: drain.state,
    hooks: {
      ...hooks,
      noteForAgent: () =>
        [drain.note(), hooks.noteForAgent?.()].filter((note) => note !== undefined).join("\n\n") ||
        undefined,
      onCall(call, verdict) {
        hooks.onCall?.(call, verdict);
        if (verdict.isAllowed && drain.called()) control.finish(DRAINED);
      },
    },
    meter: {
      ...meter,
      used(usage) {
        meter.used(usage);
        if (meter.spentUsd() >= maxCostUsd) start("Cost limit reached.", false);
        if (isOverdrawn(maxCostUsd, meter.spentUsd())) end();
      },
    },
    close() {
      clearTimeout(timer);
      budget?.signal.removeEventListener("abort", onSpent);
    },
  };

  function start(reason: string, isShared: boolean): void {
    drain.start(reason, isShared);
    timer ??= setTimeout(endWhenIdle, DRAIN_MS);
  }

  function endWhenIdle(): void {
    if (hooks.isBusy?.()) timer = setTimeout(endWhenIdle, BUSY_POLL_MS);
    else end();
  }
}
