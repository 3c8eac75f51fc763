// What a worker sees of its agent from outside while it works: check-ins with a snapshot at each, and
// how much the task in hand has changed so far. It never makes the agent wait; what it finds is told
// with the answer of some later tool call, or ends the run.

import { messageOf } from "../../errors.ts";
import { stubPlaces } from "../../claude/sandbox/stubs.ts";
import { meterActivity } from "../../machine/processes/process-activity.ts";
import { snapshotChanges } from "../../repo/snapshots/snapshot.ts";
import { measureChanges, type ChangeSize } from "../../repo/diff/measure.ts";
import type { SizeCeiling } from "../../story/definition/validate.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import type { HookState } from "./agent-hooks.ts";
import { checkInRules, startWatch, type CheckIn } from "../../agent/check-in.ts";
import { mended } from "../restore-guarded-files.ts";
import type { PlacedWork } from "../work.ts";

/** Why a run was stopped from outside, and what it had in hand. */
export interface Stuck {
  readonly task: string | undefined;
  /** A sentence. */
  readonly reason: string;
}

export interface AgentWatch {
  readonly called: (id: string, tool: string) => void;
  readonly answered: (id: string, tool: string) => void;
  /** The agent waits for the service. */
  readonly waited: () => void;
  /** Before a task is completed: whether it is larger than a task may be, and nobody has noticed yet. */
  readonly completing: (task: string) => Promise<void>;
  /** What the agent should be told now, once. */
  readonly aside: () => string | undefined;
  readonly stuck: () => Stuck | undefined;
  /** No more of it; done when nothing is being measured or kept any more. */
  readonly end: () => Promise<void>;
}

export interface WatchOptions {
  readonly state: Pick<HookState, "inHand" | "isCompleting">;
  /** Tasks that a person wants done as they are. */
  readonly isExempt: (taskId: string) => boolean;
  readonly onStuck: () => void;
}

/** However fast an agent writes. */
const MEASURE_EVERY_MS = 5_000;
const WARN_AT = 0.8;
/** Tools that are known to change no file. */
const QUIET_TOOLS = /^(?:Read|Glob|Grep|Skill|Task[A-Z]\w*|mcp__saga__\w+)$/;

export function watchAgent(work: PlacedWork, options: WatchOptions): AgentWatch {
  const { settings, around, record, order, git } = work;
  const { state, isExempt, onStuck } = options;
  const ceiling: SizeCeiling = settings.size;
  const warned = new Set<string>();
  let warning: string | undefined;
  let stuck: Stuck | undefined;
  const isOver = { isTrue: false };

  const stop = (reason: string): void => {
    if (stuck || isOver.isTrue) return;
    stuck = { task: state.inHand, reason };
    onStuck();
  };
  const keeping = oneAtATime(record.warn, 0, async () => {
    mended(work);
    const kept = await snapshotChanges({
      git,
      storyId: order.storyId,
      why: "at a check-in",
      exclude: excluded(work),
    });
    if (kept) record.note({ type: "kept", ref: kept.ref, why: "at a check-in" });
  });
  const measuring = oneAtATime(record.warn, MEASURE_EVERY_MS, async () => {
    const task = state.inHand;
    if (task === undefined || isExempt(task)) return;
    mended(work);
    const size = await measureChanges(git, excluded(work));
    // It may have become another task's, or be on its way into a commit.
    if (state.inHand !== task || state.isCompleting || isOver.isTrue) return;
    const isGrown = isOverCeiling(size, ceiling);
    if (isGrown || (isNear(size, ceiling) && !warned.has(task))) {
      record.note({ type: "task.grows", task, ...size });
    }
    if (isGrown) return stop(grown(size, ceiling));
    if (!isNear(size, ceiling) || warned.has(task)) return;
    warned.add(task);
    warning = nearCeiling(task, size, ceiling);
  });
  const mark = [RUN_MARK, record.run().id] as const;
  const meter = meterActivity(mark, () => record.run().agent?.pid);
  const watch = startWatch(checkInRules(settings), around.now, onCheckIn, meter.wasActive);
  return {
    called: watch.called,
    answered(id, tool) {
      watch.answered(id);
      if (settings.size.watch && !QUIET_TOOLS.test(tool)) measuring.ask();
    },
    waited: watch.waited,
    async completing(task) {
      if (!settings.size.watch || isExempt(task)) return;
      const size = await measureChanges(git, excluded(work));
      if (!isOverCeiling(size, ceiling)) return;
      record.note({ type: "task.grows", task, ...size, isCompleted: true });
      warning = tooLarge(task, size, ceiling);
      const title = `${task} is larger than a task should be`;
      const body = `It changed ${sizeText(size)}, and the ceiling for a task is ${ceilingText(ceiling)}. It was complete before this was noticed, so it counts; review it with care.`;
      const at = new Date(around.now()).toISOString();
      await around.store.appendJournal(order.storyId, { kind: "diversion", at, title, body });
      record.note({ type: "journal", kind: "diversion", title });
    },
    aside() {
      const said = warning;
      warning = undefined;
      return said;
    },
    stuck: () => stuck,
    async end() {
      isOver.isTrue = true;
      watch.end();
      await Promise.all([keeping.end(), measuring.end()]);
    },
  };

  function onCheckIn({ toolUses, silent, inFlight, stuck: reason }: CheckIn): void {
    record.note({ type: "check-in", toolUses, silent, inFlight });
    // For whoever looks from outside: it is written when it changes, not at each check-in.
    if ((record.run().silentCheckIns ?? 0) !== silent) record.update({ silentCheckIns: silent });
    keeping.ask();
    if (settings.size.watch) measuring.ask();
    // Checks have limits of their own, and the call that they decide about comes back after them.
    if (reason !== undefined && !state.isCompleting) stop(reason);
  }
}

/** Another call of the same turn may be running in the sandbox. */
const excluded = ({ exclude, settings, worktree }: PlacedWork): readonly string[] =>
  settings.claude.sandbox ? [...exclude, ...stubPlaces(worktree)] : exclude;

const isOverCeiling = (
  { files, lines }: ChangeSize,
  { maxFiles, maxLines }: SizeCeiling,
): boolean => files > maxFiles || lines > maxLines;

const isNear = ({ files, lines }: ChangeSize, { maxFiles, maxLines }: SizeCeiling): boolean =>
  files >= maxFiles * WARN_AT || lines >= maxLines * WARN_AT;

const sizeText = ({ files, lines }: ChangeSize): string => `${files} files and ${lines} lines`;

const ceilingText = ({ maxFiles, maxLines }: SizeCeiling): string =>
  sizeText({ files: maxFiles, lines: maxLines });

const grown = (size: ChangeSize, ceiling: SizeCeiling): string =>
  `It has grown to ${sizeText(size)}, and the ceiling for a task is ${ceilingText(ceiling)}.`;

const nearCeiling = (task: string, size: ChangeSize, ceiling: SizeCeiling): string =>
  `Saga: the task ${task} has changed ${sizeText(size)} so far, and the ceiling for one task is ${ceilingText(ceiling)}. Finish it with what is truly part of it, and complete it. Past the ceiling it is stopped, what is there is committed, and the rest becomes tasks of its own.`;

const tooLarge = (task: string, size: ChangeSize, ceiling: SizeCeiling): string =>
  `Saga: the task ${task} has changed ${sizeText(size)}, and the ceiling for one task is ${ceilingText(ceiling)}. It counts, because it was complete when this was noticed; the journal tells the person. Keep the other tasks below the ceiling: one that grows past it is stopped and split.`;

interface Chore {
  /** Soon; once, however often it is asked for. */
  readonly ask: () => void;
  readonly end: () => Promise<void>;
}

/** Never twice at once, and not sooner than so long after the last time. */
function oneAtATime(
  warn: (message: string) => void,
  everyMs: number,
  act: () => Promise<void>,
): Chore {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isEnded = false;
  let lastMs = -Infinity;
  const begin = (): void => {
    timer = undefined;
    isWanted = false;
    lastMs = performance.now();
    running = Promise.resolve()
      .then(act)
      .catch((error: unknown) => warn(`The worktree could not be looked at: ${messageOf(error)}`))
      .finally(() => {
        running = undefined;
        if (isWanted) ask();
      });
  };
  const ask = (): void => {
    if (isEnded || timer) return;
    isWanted = true;
    if (running) return;
    timer = setTimeout(begin, Math.max(0, lastMs + everyMs - performance.now()));
  };
  return {
    ask,
    async end() {
      isEnded = true;
      clearTimeout(timer);
      await running;
    },
  };
}
