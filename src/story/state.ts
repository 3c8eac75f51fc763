// What people see. Stored are three values; everything else follows from files, git and living
// processes, here and nowhere else.
//
//   pending      not startable yet: it has no tasks, or its epic cannot be read
//   waiting      another story of its epic comes first
//   ready        can be started
//   running      a living worker has it
//   stalled      a living worker has it, and its agent has gone silent
//   blocked      a question for a person is open
//   failed       the last run ended with an error
//   interrupted  begun, and no living worker: a crash, a limit or a stop
//   review       every task is completed, and it is not merged
//   completed    merged

import type { Epic } from "./epic.ts";
import { waitingFor, type Link } from "./graph.ts";
import type { Status } from "./status.ts";
import type { Task } from "./task.ts";

export const STORY_STATES = [
  "pending",
  "waiting",
  "ready",
  "running",
  "stalled",
  "blocked",
  "failed",
  "interrupted",
  "review",
  "completed",
] as const;
export type StoryState = (typeof STORY_STATES)[number];

export type TaskState = "waiting" | "ready" | "running" | "interrupted" | "completed";

/** How a run ended; absent while it goes on, or when it was killed. */
export type RunOutcome = "done" | "failed" | "limit" | "blocked" | "stopped" | "merged";

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
  /** Work on a branch or in a worktree that the target branch does not have yet. */
  readonly hasUnmergedWork: boolean;
}

export function storyState(facts: StoryFacts): StoryState {
  if (facts.worker === "alive") return facts.isSilent ? "stalled" : "running";
  const allDone =
    facts.tasks.length === 0
      ? facts.status === "completed"
      : facts.tasks.every((task) => task.status === "completed");
  if (facts.status === "completed" && allDone && !facts.hasUnmergedWork) return "completed";
  // The project's own copy says so only when the person has brought their checkout up to date.
  if (facts.lastOutcome === "merged") return "completed";
  if (facts.openBlockers > 0) return "blocked";
  if (facts.worker === "dead") return "interrupted";
  if (facts.lastOutcome === "failed") return "failed";
  if (allDone) return "review";
  if (hasBegun(facts)) return "interrupted";
  if (facts.waitsFor.length > 0) return "waiting";
  return facts.tasks.length === 0 || facts.isEpicBroken ? "pending" : "ready";
}

/** As far as its files tell. */
export const hasBegun = ({ status, tasks }: Pick<StoryFacts, "status" | "tasks">): boolean =>
  status !== "pending" || tasks.some((task) => task.status !== "pending");

/** Begun, and left without an answer by whoever worked on it: resume or discard? */
export const isInFlight = (state: StoryState): boolean =>
  state === "interrupted" || state === "failed";

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
        return hasLiveWorker ? "running" : "interrupted";
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
export function epicStatus(states: readonly StoryState[]): Status {
  if (states.length > 0 && states.every((state) => state === "completed")) return "completed";
  const untouched: ReadonlySet<StoryState> = new Set(["pending", "waiting", "ready"]);
  return states.every((state) => untouched.has(state)) ? "pending" : "in_progress";
}
