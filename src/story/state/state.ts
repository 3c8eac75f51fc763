// The state of a story, as people see it. Three values are stored; everything else follows from files,
// git and living processes, here and nowhere else. The first line that holds counts:
//
//   running     a living worker has it
//   stalled     a living worker has it, and its agent has gone silent
//   completed   merged
//   blocked     a question for a person is open
//   killed      its worker died, or was ended by nobody's wish (the session or the machine ended)
//   failed      the last run ended with an error
//   stopped     a person stopped the last run
//   limit       the last run reached a limit: time, cost, cycles or the account's usage
//   unfinished  begun, and no run says how it was left: its worktree is gone and its branch is there, a
//               task is in progress, or there is no run at all
//   review      every task is completed, and it is not merged
//   waiting     another story of its epic comes first
//   sent-back   a person sent it back, and no run has taken that up yet
//   pending     not startable: its epic cannot be read
//   ready       can be started, without tasks as one task: not begun, or begun with new work (answered, split, in conflict)
//
// `attention.ts` says what a person can do about each.

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
 * How a run ended; absent while it runs. `sent-back` and `merged` are records of a person's command, and
 * `push-failed` is a run that is done but for the push of its branch.
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

/** Which limit a run has reached. */
export const LIMITS = ["time", "cost", "cycles", "usage"] as const;
export type Limit = (typeof LIMITS)[number];

export interface StoryFacts {
  readonly status: Status;
  readonly tasks: readonly Pick<Task, "status">[];
  /** Stories of its epic that come first and are not completed. */
  readonly waitsFor: readonly string[];
  /** Nobody knows what comes first. */
  readonly isEpicBroken: boolean;
  readonly openBlockers: number;
  /** Whoever holds the story's lease. */
  readonly worker: "none" | "alive" | "dead";
  readonly isSilent: boolean;
  readonly lastOutcome?: RunOutcome | undefined;
  /** Whether any run is known, and whether the last one is a worker's that was killed. */
  readonly hasRun: boolean;
  readonly hasOpenRun: boolean;
  /** It has a branch, and no worktree: what was done is on the branch, and its files do not tell. */
  readonly isWorktreeGone: boolean;
  /** Work on a branch or in a worktree that the target branch does not have yet. */
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
  // The project's own copy says so only when the person has brought their checkout up to date.
  if (lastOutcome === "merged") return "completed";
  if (facts.openBlockers > 0) return "blocked";
  if (facts.worker === "dead" || facts.hasOpenRun || lastOutcome === "killed") return "killed";
  if (lastOutcome === "failed") return "failed";
  if (lastOutcome === "stopped" || lastOutcome === "limit") return lastOutcome;
  if (isLeftInTheMiddle(facts)) return "unfinished";
  // A question at the end comes before the gate: with its answer the gate is still to be run.
  if (allDone && lastOutcome !== "blocked") return "review";
  if (!facts.hasRun && hasBegun(facts)) return "unfinished";
  if (facts.waitsFor.length > 0) return "waiting";
  if (facts.isEpicBroken) return "pending";
  return lastOutcome === "sent-back" ? "sent-back" : "ready";
}

/** What was answered or sent back has a next step that is known, whatever task was in progress then. */
const isLeftInTheMiddle = ({ lastOutcome, isWorktreeGone, tasks }: StoryFacts): boolean =>
  isWorktreeGone ||
  (lastOutcome !== "blocked" &&
    lastOutcome !== "sent-back" &&
    tasks.some((task) => task.status === "in_progress"));

/** As far as its files tell. */
export const hasBegun = ({ status, tasks }: Pick<StoryFacts, "status" | "tasks">): boolean =>
  status !== "pending" || tasks.some((task) => task.status !== "pending");

const IN_FLIGHT = ["stopped", "killed", "limit", "unfinished", "failed"] as const;
export type InFlightState = (typeof IN_FLIGHT)[number];

/** Begun, and without a worker: resume or discard? */
export const isInFlight = (state: StoryState): state is InFlightState =>
  (IN_FLIGHT as readonly StoryState[]).includes(state);

/** Of these no person knows yet: no command of theirs and no limit ended the work. */
export const isUnattended = (state: StoryState): boolean =>
  state === "killed" || state === "unfinished";

/** What a worker can take up by itself. */
export const isStartable = (state: StoryState): boolean =>
  state === "ready" || state === "sent-back" || (isInFlight(state) && state !== "failed");

/** No worker has it, and no person has to look at it. */
export const isUntouched = (state: StoryState): boolean =>
  state === "pending" || state === "waiting" || state === "ready" || state === "sent-back";

/** The state of every task of a story, by id. */
export function taskStates(tasks: readonly Task[], story: StoryState): Map<string, TaskState> {
  const hasLiveWorker = story === "running" || story === "stalled";
  const waiting = waitingFor(tasks.map(taskLink));
  return new Map(tasks.map((task) => [task.id, stateOf(task)]));

  function stateOf(task: Task): TaskState {
    switch (task.status) {
      case "completed":
        return "completed";
      case "in_progress":
        return hasLiveWorker ? "running" : "unfinished";
      case "pending":
        // What its story waits for, it waits for as well.
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

/** An epic is as far as its stories are. */
export function epicStatus(
  stories: readonly { readonly state: StoryState; readonly isBegun: boolean }[],
  /** One that is stays open for more stories. */
  isPersistent = false,
): Status {
  const isDone = stories.length > 0 && stories.every(({ state }) => state === "completed");
  if (isDone && !isPersistent) return "completed";
  const isPending = stories.every(({ state, isBegun }) => isUntouched(state) && !isBegun);
  return isPending ? "pending" : "in_progress";
}
