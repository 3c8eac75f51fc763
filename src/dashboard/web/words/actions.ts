// The actions for a story by its state. Pure. The palette, Home and the story's page share them.

import type { StoryCard } from "../../protocol/messages.ts";

export type StoryAction =
  | "answer"
  | "run"
  | "stop"
  | "note"
  | "resume"
  | "accept"
  | "merge"
  | "push"
  | "reject"
  | "verify"
  | "discard"
  | "start-with"
  | "edit"
  | "new-task"
  | "archive"
  | "unarchive"
  | "remove";

/** The most likely one first. Stories in the older format or the archive are read-only. */
export function stateActions(story: StoryCard): readonly StoryAction[] {
  const { state, isLegacy, isArchived, attention } = story;
  if (isLegacy || isArchived) return [];
  switch (state) {
    case "ready":
    case "sent-back":
      return attention?.section === "continue" ? ["resume", "discard"] : ["run"];
    case "running":
    case "stalled":
      return ["stop", "note"];
    case "blocked":
      return ["answer", "discard"];
    case "failed":
    case "stopped":
    case "killed":
    case "limit":
    case "unfinished":
      return ["resume", "discard"];
    case "review":
      if (attention?.kind === "push-failed") {
        return ["push", "accept", "reject", "merge", "verify", "discard"];
      }
      return ["accept", "reject", "merge", "verify", "discard"];
    case "pending":
    case "in-progress":
    case "waiting":
    case "completed":
      return [];
  }
}

/** An ellipsis means that a dialog opens first. */
export const ACTION_WORDS: Readonly<Record<StoryAction, string>> = {
  answer: "Answer…",
  run: "Start",
  stop: "Stop",
  note: "Note…",
  resume: "Resume",
  accept: "Accept…",
  merge: "Merge",
  push: "Push again",
  reject: "Send back…",
  verify: "Verify",
  discard: "Discard…",
  "start-with": "Run with options…",
  edit: "Edit…",
  "new-task": "Add a task…",
  archive: "Archive…",
  unarchive: "Unarchive",
  remove: "Remove…",
};

/** Runs at once; the others open a dialog. */
export const isImmediate = (action: StoryAction): action is ImmediateAction =>
  IMMEDIATE.has(action);

type ImmediateAction = "run" | "stop" | "resume" | "merge" | "push" | "verify" | "unarchive";

const IMMEDIATE: ReadonlySet<StoryAction> = new Set<ImmediateAction>([
  "run",
  "stop",
  "resume",
  "merge",
  "push",
  "verify",
  "unarchive",
]);
