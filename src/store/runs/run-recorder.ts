// Writes the events of a worker to the run's record and prints each as a line on its terminal.

import { messageOf } from "../../errors.ts";
import type { Redact } from "../../machine/files/redact.ts";
import type { StoryEvent } from "../../story/state/events.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";
import { addAmounts } from "../../story/money/amounts.ts";
import { localDay } from "../../text/local-day.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import type { RunLog } from "./runs.ts";

export function startRecording(
  log: RunLog,
  now: () => number,
  print: (event: RunEvent) => void,
  redact: Redact,
): RunRecord {
  const note: RunRecord["note"] = (event, options) => {
    const dated: RunEvent = { at: new Date(now()).toISOString(), ...redacted(event, redact) };
    try {
      log.append(dated, options);
    } catch (error) {
      // A lost log line does not end the work; a lost durable event does.
      if (options?.isDurable) throw error;
    }
    print(dated);
  };
  // After a failed write the change stays in memory, and is written with the next one.
  const update: RunRecord["update"] = (change, options) => {
    try {
      log.update(withDay(change, log.run, now()), options);
    } catch (error) {
      note({
        type: "warning",
        message: `Cannot write the run's record: ${messageOf(error)}`,
      });
    }
  };
  return {
    run: () => log.run,
    note,
    warn: (message) => note({ type: "warning", message }),
    redact,
    update,
    // No process survives a power cut.
    agentStarted: (agent) => update({ agent }, { isDurable: false }),
    async step(name, act, about) {
      const from = performance.now();
      const result = await act();
      const ms = Math.round(performance.now() - from);
      note({ type: "step.done", step: name, ms, about: about(result) });
      return result;
    },
    close: () => log.close(),
  };
}

/** Costs are added to the day on which they arise. */
function withDay(change: Partial<Run>, run: Run, nowMs: number): Partial<Run> {
  if (change.costUsd === undefined) return change;
  const more = change.costUsd - run.costUsd;
  return { ...change, costByDay: addAmounts(run.costByDay ?? {}, { [localDay(nowMs)]: more }) };
}

/** An agent may print secrets: they do not reach the log. */
const redacted = (event: StoryEvent, redact: Redact): StoryEvent =>
  Object.fromEntries(
    Object.entries(event).map(([name, value]) => [
      name,
      typeof value === "string" ? redact(value) : value,
    ]),
  ) as unknown as StoryEvent;
