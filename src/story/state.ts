// What people see. Stored are three values; everything else follows from files, git and living
// processes, here and nowhere else. The first line that holds counts:
//
//   running      a living worker has it
//   stalled      a living worker has it, and its agent has gone silent
//   completed    merged
//   blocked      a question for a person is open
//   interrupted  its worker died over it, or was cut off
//   failed       the last run ended with an error
//   interrupted  the last run was stopped or came to a limit, before its gate or in it; its worktree is
//                gone and its branch is there; a task is in hand and nobody works on it
//   review       every task is completed, and it is not merged
//   interrupted  begun, and nobody knows by whom: there is no run
//   waiting      another story of its epic comes first
//   pending      not startable: its epic cannot be read
//   ready        can be started, without tasks as one task: not begun, or begun with new work that nobody has taken up yet
//                (sent back, split, in conflict, a question answered)

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
  /** The last run was ended by nobody's wish: the same as a dead worker, but in order. */
  readonly isCutOff?: boolean | undefined;
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
  if (facts.worker === "dead" || facts.hasOpenRun || facts.isCutOff) return "interrupted";
  if (lastOutcome === "failed") return "failed";
  if (isLeftInTheMiddle(facts)) return "interrupted";
  // A question at the end comes before the gate: with its answer the gate is still to be run.
  if (allDone && lastOutcome !== "blocked") return "review";
  if (!facts.hasRun && hasBegun(facts)) return "interrupted";
  if (facts.waitsFor.length > 0) return "waiting";
  return facts.isEpicBroken ? "pending" : "ready";
}

const isLeftInTheMiddle = ({ lastOutcome, isWorktreeGone, tasks }: StoryFacts): boolean =>
  lastOutcome === "stopped" ||
  lastOutcome === "limit" ||
  isWorktreeGone ||
  tasks.some((task) => task.status === "in_progress");

/** As far as its files tell. */
export const hasBegun = ({ status, tasks }: Pick<StoryFacts, "status" | "tasks">): boolean =>
  status !== "pending" || tasks.some((task) => task.status !== "pending");

/** Begun, and left without an answer by whoever worked on it: resume or discard? */
export const isInFlight = (state: StoryState): state is "interrupted" | "failed" =>
  state === "interrupted" || state === "failed";

/** Nobody has it, and nobody has to look at it. */
export const isUntouched = (state: StoryState): boolean =>
  state === "pending" || state === "waiting" || state === "ready";

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
