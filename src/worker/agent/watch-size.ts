// Watches the size of the current task while its agent works. It never makes the agent wait: a finding reaches the
// agent with the answer of a later tool call, or ends the run.

import { messageOf } from "../../errors.ts";
import type { AgentControl } from "../../agent/job.ts";
import { throttle } from "../../agent/throttle.ts";
import { measureChanges } from "../../repo/diff/measure-changes.ts";
import type { WorkingFiles } from "../../repo/diff/working-files.ts";
import type { HookState } from "./agent-hooks.ts";
import { excludedFiles } from "../excluded-files.ts";
import { restoreGuardedFiles } from "../restore-guarded-files.ts";
import {
  grownText,
  judgeSize,
  nearCeilingNote,
  overCeilingEntry,
  overCeilingNote,
} from "./task-size.ts";
import type { PreparedWork } from "../context.ts";

export interface SizeWatch {
  /** A tool has answered: it may have changed files. */
  readonly answered: (tool: string) => void;
  readonly onCheckIn: () => void;
  /** Before a task is completed: notes a task over the ceiling that was not noticed before. */
  readonly completing: (task: string, files: WorkingFiles | undefined) => Promise<void>;
  /** A warning for the agent; returned once. */
  readonly noteForAgent: () => string | undefined;
  /** Resolves when no measurement is running any more. */
  readonly end: () => Promise<void>;
}

export interface SizeWatchOptions {
  readonly state: Pick<HookState, "currentTask" | "isCompleting">;
  /** Tasks whose size is not limited. */
  readonly isExempt: (taskId: string) => boolean;
  readonly control: Pick<AgentControl, "endAsStuck">;
}

/** An agent that writes fast must not have git measure all the time. */
const MEASURE_EVERY_MS = 5_000;
/** Tools that are known to change no file. */
const CHANGES_NOTHING = /^(?:Read|Glob|Grep|Skill|Task[A-Z]\w*|mcp__saga__\w+)$/;

export const mayChangeFiles = (tool: string): boolean => !CHANGES_NOTHING.test(tool);

export function watchSize(work: PreparedWork, options: SizeWatchOptions): SizeWatch {
  const { context, record, request, git } = work;
  const { state, isExempt, control } = options;
  const ceiling = context.settings.size;
  const warnedTasks = new Set<string>();
  let note: string | undefined;
  let isOver = false;
  const measurements = throttle(measure, MEASURE_EVERY_MS, (error) =>
    record.warn(`The size of the change could not be measured: ${messageOf(error)}`),
  );
  return {
    answered(tool) {
      if (ceiling.watch && mayChangeFiles(tool)) measurements.request();
    },
    onCheckIn() {
      if (ceiling.watch) measurements.request();
    },
    async completing(task, files) {
      if (!ceiling.watch || isExempt(task)) return;
      const size = await measureChanges(git, excludedFiles(work), files);
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
    end() {
      isOver = true;
      return measurements.end();
    },
  };

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
    if (judged === "over") return control.endAsStuck(grownText(size, ceiling));
    warnedTasks.add(task);
    note = nearCeilingNote(task, size, ceiling);
  }
}
