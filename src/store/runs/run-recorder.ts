// What a worker says about itself: every event goes into the run's record, and as a line to whoever
// looks at its terminal.

import { messageOf } from "../../errors.ts";
import type { ProcessId } from "../../machine/processes/process-id.ts";
import type { Redact } from "../../machine/files/redact.ts";
import type { StoryEvent } from "../../story/state/events.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";
import type { RunLog } from "./runs.ts";

export interface RunRecord {
  readonly run: () => Run;
  readonly note: (event: StoryEvent, options?: { readonly isDurable?: boolean }) => void;
  readonly warn: (message: string) => void;
  /** For what is written elsewhere. */
  readonly redact: Redact;
  readonly update: (change: Partial<Run>, options?: { readonly isDurable?: boolean }) => void;
  readonly agentStarted: (agent: ProcessId) => void;
  /** Times a step of the worker, and says what came of it. */
  readonly step: <T>(
    name: string,
    act: () => Promise<T>,
    about: (result: T) => string,
  ) => Promise<T>;
  readonly close: () => void;
}

export function keepRecord(
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
      // A line of the log is no reason to end the work; what has to survive is.
      if (options?.isDurable) throw error;
    }
    print(dated);
  };
  // On a full disk it is written with the next change: what is known is not lost.
  const update: RunRecord["update"] = (change, options) => {
    try {
      log.update(change, options);
    } catch (error) {
      note({
        type: "warning",
        message: `The run's record could not be written: ${messageOf(error)}`,
      });
    }
  };
  return {
    run: () => log.run,
    note,
    warn: (message) => note({ type: "warning", message }),
    redact,
    update,
    agentStarted: (agent) => update({ agent }),
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

/** An agent may print what it should not have looked at; the log does not keep it. */
const redacted = (event: StoryEvent, redact: Redact): StoryEvent =>
  Object.fromEntries(
    Object.entries(event).map(([name, value]) => [
      name,
      typeof value === "string" ? redact(value) : value,
    ]),
  ) as unknown as StoryEvent;
