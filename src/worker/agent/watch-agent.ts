// Watches a story's agent from outside while it works: check-ins with a snapshot at each, and the size of
// the current task. It never makes the agent wait: a finding reaches the agent with the answer of a later
// tool call, or ends the run.

import { messageOf } from "../../errors.ts";
import { stubPlaces } from "../../claude/sandbox/stubs.ts";
import { meterActivity } from "../../machine/processes/process-activity.ts";
import { snapshotChanges } from "../../repo/snapshots/snapshot.ts";
import { measureChanges } from "../../repo/diff/measure.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import type { HookState } from "./agent-hooks.ts";
import { checkInRules, startCheckIns, type CheckIn } from "../../agent/check-in.ts";
import { restoreGuardedFiles } from "../restore-guarded-files.ts";
import {
  grownText,
  judgeSize,
  nearCeilingNote,
  overCeilingEntry,
  overCeilingNote,
} from "./task-size.ts";
import { throttle } from "./throttle.ts";
import type { PreparedWork } from "../context.ts";

/** Why a run was stopped from outside. */
export interface StuckAgent {
  /** The task that was in progress. */
  readonly task: string | undefined;
  /** A sentence. */
  readonly reason: string;
}

export interface AgentWatch {
  readonly called: (id: string, tool: string) => void;
  readonly answered: (id: string, tool: string) => void;
  /** The agent waits for the service. */
  readonly retried: () => void;
  /** Before a task is completed: notes a task over the ceiling that was not noticed before. */
  readonly completing: (task: string) => Promise<void>;
  /** A warning for the agent; returned once. */
  readonly noteForAgent: () => string | undefined;
  readonly stuck: () => StuckAgent | undefined;
  /** Resolves when no snapshot or measurement is running any more. */
  readonly end: () => Promise<void>;
}

export interface WatchOptions {
  readonly state: Pick<HookState, "currentTask" | "isCompleting">;
  /** Tasks whose size is not limited. */
  readonly isExempt: (taskId: string) => boolean;
  readonly onStuck: () => void;
}

/** An agent that writes fast must not have git measure all the time. */
const MEASURE_EVERY_MS = 5_000;
/** Tools that are known to change no file. */
const READING_TOOLS = /^(?:Read|Glob|Grep|Skill|Task[A-Z]\w*|mcp__saga__\w+)$/;
const SNAPSHOT_REASON = "at a check-in";

export function watchAgent(work: PreparedWork, options: WatchOptions): AgentWatch {
  const { settings, context, record, request, git } = work;
  const { state, isExempt, onStuck } = options;
  const ceiling = settings.size;
  const warnedTasks = new Set<string>();
  let note: string | undefined;
  let stuck: StuckAgent | undefined;
  let isOver = false;

  const stop = (reason: string): void => {
    if (stuck || isOver) return;
    stuck = { task: state.currentTask, reason };
    onStuck();
  };
  const onError = (error: unknown): void =>
    record.warn(`The worktree could not be inspected: ${messageOf(error)}`);
  const snapshots = throttle(takeSnapshot, 0, onError);
  const measurements = throttle(measure, MEASURE_EVERY_MS, onError);
  const mark = [RUN_MARK, record.run().id] as const;
  const meter = meterActivity(mark, () => record.run().agent?.pid);
  const checkIns = startCheckIns(checkInRules(settings), context.now, onCheckIn, meter.wasActive);
  return {
    called: checkIns.called,
    answered(id, tool) {
      checkIns.answered(id);
      if (settings.size.watch && !READING_TOOLS.test(tool)) measurements.request();
    },
    retried: checkIns.retried,
    async completing(task) {
      if (!settings.size.watch || isExempt(task)) return;
      const size = await measureChanges(git, excludedFiles(work));
      if (judgeSize(size, ceiling) !== "over") return;
      record.note({ type: "task.grows", task, ...size, isCompleted: true });
      note = overCeilingNote(task, size, ceiling);
      const entry = overCeilingEntry(task, size, ceiling);
      const at = new Date(context.now()).toISOString();
      await context.store.appendJournal(request.storyId, { kind: "diversion", at, ...entry });
      record.note({ type: "journal", kind: "diversion", title: entry.title });
    },
    noteForAgent() {
      const current = note;
      note = undefined;
      return current;
    },
    stuck: () => stuck,
    async end() {
      isOver = true;
      checkIns.end();
      await Promise.all([snapshots.end(), measurements.end()]);
    },
  };

  async function takeSnapshot(): Promise<void> {
    restoreGuardedFiles(work);
    const { storyId } = request;
    const exclude = excludedFiles(work);
    const kept = await snapshotChanges({ git, storyId, why: SNAPSHOT_REASON, exclude });
    if (kept) record.note({ type: "kept", ref: kept.ref, why: SNAPSHOT_REASON });
  }

  async function measure(): Promise<void> {
    const task = state.currentTask;
    if (task === undefined || isExempt(task)) return;
    restoreGuardedFiles(work);
    const size = await measureChanges(git, excludedFiles(work));
    // In the meantime the changes may belong to another task, or be about to be committed.
    if (state.currentTask !== task || state.isCompleting || isOver) return;
    const judged = judgeSize(size, ceiling);
    if (judged === "small" || (judged === "near" && warnedTasks.has(task))) return;
    record.note({ type: "task.grows", task, ...size });
    if (judged === "over") return stop(grownText(size, ceiling));
    warnedTasks.add(task);
    note = nearCeilingNote(task, size, ceiling);
  }

  function onCheckIn({ toolUses, silent, inFlight, stuck: reason }: CheckIn): void {
    record.note({ type: "check-in", toolUses, silent, inFlight });
    // Written only when it changes: other processes read the run's record.
    if ((record.run().silentCheckIns ?? 0) !== silent) record.update({ silentCheckIns: silent });
    snapshots.request();
    if (settings.size.watch) measurements.request();
    // During a completion the task's checks run; they have their own time limit.
    if (reason !== undefined && !state.isCompleting) stop(reason);
  }
}

/** Another tool call of the same turn may be running in the sandbox, with its stubs in the worktree. */
const excludedFiles = ({ exclude, settings, worktree }: PreparedWork): readonly string[] =>
  settings.claude.sandbox ? [...exclude, ...stubPlaces(worktree)] : exclude;
