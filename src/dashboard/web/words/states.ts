// How each state is told to people: a word, a tone (its colour) and a mark (its shape). Never by colour alone.

import type { CardState, PoolDaemon, PoolTaskCard, StoryCard } from "../../protocol.ts";
import type { RunOutcome, TaskState } from "../../../story/state.ts";

export type Tone = "idle" | "active" | "ask" | "bad" | "good";
export type Mark =
  | "dotted"
  | "clock"
  | "ring"
  | "half"
  | "play"
  | "triangle"
  | "question"
  | "cross"
  | "broken"
  | "eye"
  | "check";

export interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly mark: Mark;
}

export const STORY_LOOKS: Readonly<Record<CardState, Look>> = {
  pending: { word: "Pending", tone: "idle", mark: "dotted" },
  waiting: { word: "Waiting", tone: "idle", mark: "clock" },
  ready: { word: "Ready", tone: "idle", mark: "ring" },
  running: { word: "Running", tone: "active", mark: "play" },
  stalled: { word: "Stalled", tone: "ask", mark: "triangle" },
  blocked: { word: "Blocked", tone: "ask", mark: "question" },
  failed: { word: "Failed", tone: "bad", mark: "cross" },
  interrupted: { word: "Interrupted", tone: "ask", mark: "broken" },
  review: { word: "Review", tone: "ask", mark: "eye" },
  completed: { word: "Completed", tone: "good", mark: "check" },
  "in-progress": { word: "In progress", tone: "idle", mark: "half" },
};

/** Its file is not there, or cannot be read. */
export const MISSING_LOOK: Look = { word: "Missing or broken", tone: "bad", mark: "broken" };

/** In the older form a task is what its file says, as its story is. */
export type TaskLook = TaskState | "in-progress";

export const TASK_LOOKS: Readonly<Record<TaskLook, Look>> = {
  waiting: STORY_LOOKS.waiting,
  ready: STORY_LOOKS.ready,
  running: STORY_LOOKS.running,
  interrupted: STORY_LOOKS.interrupted,
  completed: STORY_LOOKS.completed,
  "in-progress": STORY_LOOKS["in-progress"],
};

export const POOL_LOOKS: Readonly<Record<PoolTaskCard["state"], Look>> = {
  "needs-you": { word: "Needs you", tone: "ask", mark: "question" },
  working: { word: "Working", tone: "active", mark: "play" },
  abandoned: { word: "Abandoned", tone: "ask", mark: "half" },
  ready: { word: "Ready", tone: "idle", mark: "ring" },
  waiting: { word: "Waiting", tone: "idle", mark: "clock" },
  broken: { word: "Broken", tone: "bad", mark: "broken" },
  elsewhere: { word: "Elsewhere", tone: "idle", mark: "dotted" },
  completed: { word: "Completed", tone: "good", mark: "check" },
};

/** How the daemon of a pool stands, as it says itself or its end does. */
export function daemonLook(state: string): Look {
  if (state === "died") return { word: "Died", tone: "bad", mark: "broken" };
  return state === "ended" ? { word: "Ended", tone: "idle", mark: "dotted" } : STORY_LOOKS.running;
}

/** It is shown for why it has ended; nobody can tell it anything any more. */
export const isDaemonOver = ({ state }: PoolDaemon): boolean =>
  state === "ended" || state === "died";

const OUTCOME_LOOKS: Readonly<Record<RunOutcome, Look>> = {
  done: { word: "Done", tone: "good", mark: "check" },
  merged: { word: "Merged", tone: "good", mark: "check" },
  failed: { word: "Failed", tone: "bad", mark: "cross" },
  limit: { word: "Limit", tone: "ask", mark: "clock" },
  blocked: { word: "Blocked", tone: "ask", mark: "question" },
  stopped: { word: "Stopped", tone: "idle", mark: "broken" },
};

/** A run without an outcome either goes on or was killed. */
export function runLook(
  outcome: RunOutcome | undefined,
  endedAt: string | undefined,
  isLive: boolean,
): Look {
  if (outcome !== undefined) return OUTCOME_LOOKS[outcome];
  return endedAt === undefined && isLive ? STORY_LOOKS.running : STORY_LOOKS.interrupted;
}

/** In the order in which a person should look at them; the others need nobody. */
const NEEDS_YOU: readonly CardState[] = ["blocked", "failed", "interrupted", "stalled", "review"];

export const needsYou = ({ state, isLegacy, isArchived }: StoryCard): boolean =>
  !isLegacy && !isArchived && NEEDS_YOU.includes(state);

export const isAtWork = ({ state }: StoryCard): boolean =>
  state === "running" || state === "stalled";

export const byUrgency = (one: StoryCard, other: StoryCard): number =>
  NEEDS_YOU.indexOf(one.state) - NEEDS_YOU.indexOf(other.state) ||
  (one.priority ?? 3) - (other.priority ?? 3) ||
  one.id.localeCompare(other.id);

/** Each task's state, as far as the card tells. */
export function taskStatesOf({ tasks, state, isLegacy }: StoryCard): Map<string, TaskLook> {
  const done = new Set(tasks.filter((task) => task.status === "completed").map(({ id }) => id));
  const isAlive = state === "running" || state === "stalled";
  const begun = isLegacy ? "in-progress" : isAlive ? "running" : "interrupted";
  return new Map(
    tasks.map(({ id, status, blockedBy }) => {
      if (status === "completed") return [id, "completed"];
      if (status === "in_progress") return [id, begun];
      const waits = state === "waiting" || blockedBy.some((blocker) => !done.has(blocker));
      return [id, waits ? "waiting" : "ready"];
    }),
  );
}
