// The state of a story, as people see it. Three values are stored; the state is derived here, from files, git and
// living processes. The first line that applies counts:
//
//   running     a living worker holds its lease
//   stalled     the same, and its agent is silent
//   completed   merged
//   blocked     a question for a person is open
//   killed      its worker died, or its session or machine ended
//   failed      the last run ended with an error
//   stopped     a person stopped the last run
//   limit       the last run reached a limit: time, cost, cycles or the account's usage
//   unfinished  begun, and no run recorded how it ended: its worktree is gone and its branch exists, a task is in
//               progress, or there is no run
//   review      every task is completed, and it is not merged
//   waiting     another story of its epic comes first
//   sent-back   a person sent it back, and no run has started since
//   pending     cannot be started: the file of its epic is invalid
//   ready       can be started: not begun, or begun with new work (answered, split, in conflict)
//
// `attention.ts` has what a person can do about each.

import type { Epic } from "../definition/epic.ts";
import { waitingFor, type Link } from "../definition/graph.ts";
import type { Status } from "../definition/status.ts";
import type { Task } from "../definition/task.ts";

export const STORY_STATES = [
  "pending",
  "waiting",
  "ready",
  "running",
  "stalled",
  "blocked",
  "failed",
  "stopped",
  "killed",
  "limit",
  "unfinished",
  "sent-back",
  "review",
  "completed",
] as const;
export type StoryState = (typeof STORY_STATES)[number];

export type TaskState = "waiting" | "ready" | "running" | "unfinished" | "completed";

/**
 * How a run ended. `sent-back` and `merged` record a person's command; `push-failed` is a run that is done except for
 * the push of its branch.
 */
export const RUN_OUTCOMES = [
  "done",
  "push-failed",
  "failed",
  "limit",
  "blocked",
  "stopped",
  "killed",
  "sent-back",
  "merged",
] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** The limits that a run can reach. */
export const LIMITS = ["time", "cost", "budget", "cycles", "usage"] as const;
export type Limit = (typeof LIMITS)[number];

export interface StoryFacts {
  readonly status: Status;
  readonly tasks: readonly Pick<Task, "status">[];
  /** Stories of its epic that come first and are not completed. */
  readonly waitsFor: readonly string[];
  /** Its epic's file is invalid, so its blockers are unknown. */
  readonly isEpicBroken: boolean;
  readonly openBlockers: number;
  /** The owner of the story's lease. */
  readonly worker: "none" | "alive" | "dead";
  readonly isSilent: boolean;
  readonly lastOutcome?: RunOutcome | undefined;
  readonly hasRun: boolean;
  /** The last run has no end: its worker was killed. */
  readonly hasOpenRun: boolean;
  /** It has a branch and no worktree: its work is on the branch, and the project's files do not show it. */
  readonly isWorktreeGone: boolean;
  /** Its branch or worktree has work that is not in the target. */
  readonly hasUnmergedWork: boolean;
}

export function storyState(facts: StoryFacts): StoryState {
  const { tasks, status, lastOutcome } = facts;
  if (facts.worker === "alive") return facts.isSilent ? "stalled" : "running";
  const allDone =
    tasks.length === 0
      ? status === "completed"
      : tasks.every((task) => task.status === "completed");
  if (status === "completed" && allDone && !facts.hasUnmergedWork) return "completed";
  // The project's copy of the files is only completed after the person has updated their checkout.
  if (lastOutcome === "merged") return "completed";
  if (facts.openBlockers > 0) return "blocked";
  if (facts.worker === "dead" || facts.hasOpenRun || lastOutcome === "killed") return "killed";
  if (lastOutcome === "failed") return "failed";
  if (lastOutcome === "stopped" || lastOutcome === "limit") return lastOutcome;
  if (isLeftInTheMiddle(facts)) return "unfinished";
  // The last question came before the gate, so the gate has not run yet.
  if (allDone && lastOutcome !== "blocked") return "review";
  if (!facts.hasRun && hasBegun(facts)) return "unfinished";
  if (facts.waitsFor.length > 0) return "waiting";
  if (facts.isEpicBroken) return "pending";
  return lastOutcome === "sent-back" ? "sent-back" : "ready";
}

/** After an answer or a send-back the next step is known, even when a task was in progress. */
const isLeftInTheMiddle = ({ lastOutcome, isWorktreeGone, tasks }: StoryFacts): boolean =>
  isWorktreeGone ||
  (lastOutcome !== "blocked" &&
    lastOutcome !== "sent-back" &&
    tasks.some((task) => task.status === "in_progress"));

/** Decides from the files alone. */
export const hasBegun = ({ status, tasks }: Pick<StoryFacts, "status" | "tasks">): boolean =>
  status !== "pending" || tasks.some((task) => task.status !== "pending");

/** A worker is on it. */
export const isRunning = (state: StoryState): boolean => state === "running" || state === "stalled";

const IN_FLIGHT = ["stopped", "killed", "limit", "unfinished", "failed"] as const;
export type InFlightState = (typeof IN_FLIGHT)[number];

/** Begun, and without a worker: a person can resume or discard it. */
export const isInFlight = (state: StoryState): state is InFlightState =>
  (IN_FLIGHT as readonly StoryState[]).includes(state);

/** Ended neither by a person nor by a limit, so no person knows yet. */
export const isUnattended = (state: StoryState): boolean =>
  state === "killed" || state === "unfinished";

/** A worker can start it without a person. */
export const isStartable = (state: StoryState): boolean =>
  state === "ready" || state === "sent-back" || (isInFlight(state) && state !== "failed");

/** Without a worker, and without a question for a person. */
export const isUntouched = (state: StoryState): boolean =>
  state === "pending" || state === "waiting" || state === "ready" || state === "sent-back";

/** The state of every task of a story, by id. */
export function taskStates(tasks: readonly Task[], story: StoryState): Map<string, TaskState> {
  const hasLiveWorker = isRunning(story);
  const waiting = waitingFor(tasks.map(taskLink));
  return new Map(tasks.map((task) => [task.id, stateOf(task)]));

  function stateOf(task: Task): TaskState {
    switch (task.status) {
      case "completed":
        return "completed";
      case "in_progress":
        return hasLiveWorker ? "running" : "unfinished";
      case "pending":
        // A task waits for the blockers of its story too.
        return story === "waiting" || waiting.has(task.id) ? "waiting" : "ready";
    }
  }
}

interface LinkedTask extends Pick<Task, "id" | "status"> {
  readonly blockedBy: readonly string[];
}

export const taskLink = (task: LinkedTask): Link => ({
  id: task.id,
  blockedBy: task.blockedBy,
  isDone: task.status === "completed",
});

export const epicLinks = (epic: Epic, isCompleted: (storyId: string) => boolean): Link[] =>
  epic.children.map((child) => ({
    id: child.id,
    blockedBy: child.blockedBy,
    isDone: isCompleted(child.id),
  }));

/** The status of an epic, derived from its stories. */
export function epicStatus(
  stories: readonly { readonly state: StoryState; readonly isBegun: boolean }[],
  /** A persistent epic stays open for more stories. */
  isPersistent = false,
): Status {
  const isDone = stories.length > 0 && stories.every(({ state }) => state === "completed");
  if (isDone && !isPersistent) return "completed";
  const isPending = stories.every(({ state, isBegun }) => isUntouched(state) && !isBegun);
  return isPending ? "pending" : "in_progress";
}
