// How each state is shown: a word, a tone (its colour) and a mark (its shape). Never by colour alone.

import { byRisk } from "../../../story/review/review-risk.ts";
import type {
  CardState,
  PoolDaemon,
  PoolTaskCard,
  RunCard,
  StoryCard,
} from "../../protocol/messages.ts";
import { byAttention, type Section } from "../../../story/state/attention.ts";
import { isRunning, type RunOutcome, type TaskState } from "../../../story/state/state.ts";

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
  | "square"
  | "hourglass"
  | "gap"
  | "back"
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
  stopped: { word: "Stopped", tone: "ask", mark: "square" },
  killed: { word: "Killed", tone: "bad", mark: "broken" },
  limit: { word: "Limit", tone: "ask", mark: "hourglass" },
  unfinished: { word: "Unfinished", tone: "ask", mark: "gap" },
  "sent-back": { word: "Sent back", tone: "ask", mark: "back" },
  review: { word: "Review", tone: "ask", mark: "eye" },
  completed: { word: "Completed", tone: "good", mark: "check" },
  "in-progress": { word: "In progress", tone: "idle", mark: "half" },
};

/** Its file is missing or invalid. */
export const MISSING_LOOK: Look = { word: "Missing or broken", tone: "bad", mark: "broken" };

/** In the older format a task has the state in its file, like its story. */
export type TaskLook = TaskState | "in-progress";

export const TASK_LOOKS: Readonly<Record<TaskLook, Look>> = {
  waiting: STORY_LOOKS.waiting,
  ready: STORY_LOOKS.ready,
  running: STORY_LOOKS.running,
  unfinished: STORY_LOOKS.unfinished,
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

export function daemonLook(state: string): Look {
  if (state === "died") return { word: "Died", tone: "bad", mark: "broken" };
  return state === "ended" ? { word: "Ended", tone: "idle", mark: "dotted" } : STORY_LOOKS.running;
}

/** An ended daemon is shown with the reason, but without buttons. */
export const hasDaemonEnded = ({ state }: PoolDaemon): boolean =>
  state === "ended" || state === "died";

const OUTCOME_LOOKS: Readonly<Record<RunOutcome, Look>> = {
  done: { word: "Done", tone: "good", mark: "check" },
  merged: { word: "Merged", tone: "good", mark: "check" },
  failed: { word: "Failed", tone: "bad", mark: "cross" },
  "push-failed": { word: "Push failed", tone: "bad", mark: "triangle" },
  limit: STORY_LOOKS.limit,
  blocked: { word: "Blocked", tone: "ask", mark: "question" },
  stopped: { word: "Stopped", tone: "idle", mark: "square" },
  killed: STORY_LOOKS.killed,
  "sent-back": STORY_LOOKS["sent-back"],
};

/** A run without an outcome is either running or was killed. */
export const isKilledRun = (
  { outcome, endedAt }: Pick<RunCard, "outcome" | "endedAt">,
  isLive: boolean,
): boolean => outcome === undefined && !(endedAt === undefined && isLive);

export function runLook(
  outcome: RunOutcome | undefined,
  endedAt: string | undefined,
  isLive: boolean,
): Look {
  if (outcome !== undefined) return OUTCOME_LOOKS[outcome];
  return isKilledRun({ outcome, endedAt }, isLive) ? STORY_LOOKS.killed : STORY_LOOKS.running;
}

/** The server decides on the section, by the same rule as every command. */
export const isIn =
  (section: Section) =>
  ({ attention }: StoryCard): boolean =>
    attention?.section === section;

export const needsYou = isIn("needs-you");

export const isAtWork = ({ state }: Pick<StoryCard, "state">): boolean =>
  state !== "in-progress" && isRunning(state);

/** The most urgent first; of those that wait for review, the riskiest. */
export const byUrgency = (one: StoryCard, other: StoryCard): number =>
  isReview(one) && isReview(other) ? byRisk(one, other) : byAttention(rankOf(one), rankOf(other));

const isReview = ({ attention }: StoryCard): boolean => attention?.kind === "review";

const rankOf = ({ id, attention, priority }: StoryCard) => ({
  id,
  kind: attention?.kind,
  priority,
});

/** Derives each task's state from the story's card. */
export function taskStatesOf({ tasks, state, isLegacy }: StoryCard): Map<string, TaskLook> {
  const done = new Set(tasks.filter((task) => task.status === "completed").map(({ id }) => id));
  const isAlive = isAtWork({ state });
  const startedState = isLegacy ? "in-progress" : isAlive ? "running" : "unfinished";
  return new Map(
    tasks.map(({ id, status, blockedBy }) => {
      if (status === "completed") return [id, "completed"];
      if (status === "in_progress") return [id, startedState];
      const waits = state === "waiting" || blockedBy.some((blocker) => !done.has(blocker));
      return [id, waits ? "waiting" : "ready"];
    }),
  );
}
