// The live table of `saga epic run` in a terminal: what runs, how far the epic is, and an estimate. Elsewhere only the
// messages are written.

import type { Store } from "../../store/store.ts";
import type { StoryView } from "../../store/views/overview.ts";
import type { Epic } from "../../story/definition/epic.ts";
import {
  estimateNote,
  timeLeftMs,
  timeLeftText,
  type UsualTask,
} from "../../story/state/estimate.ts";
import { count } from "../../text/plural.ts";
import { usd } from "../../text/usd.ts";
import type { Io } from "../program/io.ts";
import { painter, type Paint } from "../output/terminal.ts";
import { liveBlock } from "./live-block.ts";
import {
  isRunningView,
  newRunningReader,
  newUsualReader,
  progress,
  runningTable,
  type RunningStory,
} from "./running-stories.ts";

export interface EpicLive {
  /** Writes a message, above the table if there is one. */
  readonly print: (text: string) => void;
  readonly end: () => void;
}

interface LiveOptions {
  readonly store: Store;
  readonly epic: Epic;
  readonly parallel: number;
  /** False in a detached session, whose output is a file. */
  readonly isShown: boolean;
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;

export function startEpicLive(io: Io, options: LiveOptions): EpicLive {
  if (!options.isShown) return { print: io.writeError, end: () => undefined };
  const { store, epic, everyMs = EVERY_MS } = options;
  const block = liveBlock({ write: io.writeError, rows: () => io.rows ?? DEFAULT_ROWS });
  const paint = painter(io.hasErrorColour);
  const ids = new Set(epic.children.map(({ id }) => id));
  const readRunning = newRunningReader(store);
  const readUsual = newUsualReader(store);
  let isOver = false;
  let isReading = false;
  const draw = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      const views = [...(await store.overview(ids)).stories.values()];
      const running = await Promise.all(views.filter(isRunningView).map(readRunning));
      const facts = { views, running, usual: await readUsual(views), nowMs: Date.now() };
      if (!isOver) block.draw(epicLines({ ...options, ...facts }, paint));
    } catch {
      // A file is being written: the next look reads it.
    } finally {
      isReading = false;
    }
  };
  const timer = setInterval(() => void draw(), everyMs);
  void draw();
  return {
    print: block.print,
    end() {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      block.draw([]);
      block.end();
    },
  };
}

const DEFAULT_ROWS = 24;

interface EpicFacts extends Pick<LiveOptions, "epic" | "parallel"> {
  readonly views: readonly StoryView[];
  readonly running: readonly RunningStory[];
  readonly usual: UsualTask | undefined;
  readonly nowMs: number;
}

export function epicLines(
  { epic, parallel, views, running, usual, nowMs }: EpicFacts,
  paint: Paint,
): string[] {
  const done = views.filter(({ state }) => state === "completed").length;
  const review = views.filter(({ state }) => state === "review").length;
  const costUsd = running.reduce((sum, { run }) => sum + (run?.costUsd ?? 0), 0);
  const tasksLeft = views
    .map(progress)
    .reduce((sum, { total, completed }) => sum + total - completed, 0);
  const parts = [
    `${done} of ${count(epic.children.length, "story", "stories")} done`,
    ...(review > 0 ? [`${review} in review`] : []),
    `${running.length} running`,
    ...(costUsd > 0 ? [`${usd(costUsd, true)} in running stories`] : []),
    ...(usual ? [timeLeftText(timeLeftMs(usual, tasksLeft, parallel))] : []),
  ];
  return [
    "",
    `${paint("bold", epic.id)}  ${parts.join(", ")}`,
    ...(running.length === 0 ? [] : runningTable(running, { nowMs, usual }, paint)),
    ...(usual ? [paint("dim", `  ${estimateNote(usual)}`)] : []),
  ];
}
