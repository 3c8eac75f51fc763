// The record of a run, for all that run agents: a story's worker, a worker of the pool, and the overseer. Events are written
// to it, and printed as lines on the worker's terminal.

import type { Context } from "../../context.ts";
import { messageOf } from "../../errors.ts";
import { redactorFor, type Redact } from "../../machine/files/redact.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import type { Settings } from "../../story/settings/settings.ts";
import type { StoryEvent } from "../../story/state/story-event.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";
import type { RunOutcome } from "../../story/state/state.ts";
import { addAmounts } from "../../story/money/amounts.ts";
import { localDay } from "../../text/local-day.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import type { Store } from "../store.ts";
import { sealProblem, withSeals } from "./receipts.ts";
import type { RunLog } from "./runs.ts";

export interface RecordContext extends Pick<Context, "env" | "now"> {
  readonly store: Pick<Store, "project" | "startRun">;
  readonly settings: Pick<Settings, "worktree">;
  readonly print: (event: RunEvent) => void;
}

/** `name`: of the story, or of what has its runs where a story has them. Its receipts are sealed, its secrets removed. */
export async function openRecord(
  { store, settings, env, now, print }: RecordContext,
  name: string,
  start: Partial<Run>,
): Promise<RunRecord> {
  const known = Object.entries(start).filter(([, value]) => value !== undefined);
  const log = await store.startRun(name, { worker: thisProcess(), ...Object.fromEntries(known) });
  const redact = redactorFor(env, store.project, settings.worktree.copy);
  const record = startRecording(withSeals(log, env), now, print, redact);
  record.note({ type: "run.started", session: start.session }, { isDurable: true });
  const sealError = sealProblem(env);
  if (sealError !== undefined) {
    record.warn(
      `Check results of this run will not count for a merge, because they cannot be signed: ${sealError}`,
    );
  }
  return record;
}

export interface RecordedEnd {
  readonly outcome: RunOutcome;
  readonly reason: string;
  readonly cycles: number;
  readonly ms: number;
  readonly costUsd: number;
  readonly costIsEstimate: boolean;
}

interface RunEnding extends Pick<Run, "limit" | "pushError"> {
  readonly outcome: RunOutcome;
  /** It may quote an agent or a program. */
  readonly reason: string;
  readonly nowMs: number;
  /** The next command for a person. */
  readonly next?: string | undefined;
}

/** The reason is shown in many places, so its secrets are removed. */
export function endRecord(record: RunRecord, ending: RunEnding): RecordedEnd {
  const { outcome, nowMs, next, limit, pushError } = ending;
  const reason = record.redact(ending.reason);
  const { startedAt, cycles, costUsd, costIsEstimate = false } = record.run();
  const ms = nowMs - Date.parse(startedAt);
  const ended = { outcome, reason, cycles, ms, costUsd, costIsEstimate };
  record.note({ type: "run.ended", ...ended, next }, { isDurable: true });
  record.update({ endedAt: new Date(nowMs).toISOString(), outcome, reason, limit, pushError });
  return ended;
}

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
