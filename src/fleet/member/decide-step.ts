// What a member does with a story that it has claimed. Pure: it is asked again after each step, with the story's state as
// it is then, so a member that dies in between is simply followed by another.
//
//   ready, sent-back, killed, unfinished, limit, stopped
//                         a worker, but not again after a limit or a person's stop
//   review                merged if the job says so; otherwise done: people merge it
//   completed             done
//   running, stalled      another process works on it: later
//   waiting               another story comes first: later
//   blocked, failed, pending
//                         a person is needed

import type { StoryState } from "../../story/state/state.ts";

export type MemberStep = "work" | "merge" | "complete" | "retry" | "park";

interface StepFacts {
  readonly state: StoryState;
  readonly mayMerge: boolean;
  /** What this member has just done with it. */
  readonly last: "work" | "merge" | undefined;
}

export function decideStep({ state, mayMerge, last }: StepFacts): MemberStep {
  switch (state) {
    case "completed":
      return "complete";
    case "review":
      if (!mayMerge) return "complete";
      return last === "merge" ? "park" : "merge";
    case "ready":
    case "sent-back":
    case "unfinished":
      return "work";
    case "killed":
      // Killed while this member ran it: its lease may be lost. Any member may continue.
      return last === "work" ? "retry" : "work";
    case "limit":
    case "stopped":
      return last === undefined ? "work" : "park";
    case "running":
    case "stalled":
    case "waiting":
      return "retry";
    case "blocked":
    case "failed":
    case "pending":
      return "park";
  }
}
