// The column of a story on the board. Pure: decides by the section that the server gave it.

import type { StoryCard } from "../../protocol/messages.ts";
import { byRisk } from "../../../story/review/review-risk.ts";
import { byUrgency } from "../words/states.ts";

export const COLUMNS = ["ready", "running", "needs-you", "review", "landing", "done"] as const;
export type Column = (typeof COLUMNS)[number];

export const COLUMN_WORDS: Readonly<Record<Column, string>> = {
  ready: "Ready",
  running: "Running",
  "needs-you": "Needs you",
  review: "Review",
  landing: "Landing",
  done: "Done",
};

/** Undefined for archived stories. */
export function columnOf({ state, attention, isArchived }: StoryCard): Column | undefined {
  if (isArchived) return undefined;
  switch (attention?.section) {
    case "landing":
    case "running":
      return attention.section;
    case "needs-you":
      return state === "review" ? "review" : "needs-you";
    case "continue":
    case "start":
      return "ready";
    case undefined:
      if (state === "completed") return "done";
      return state === "in-progress" ? "running" : "ready";
  }
}

/** Ready: to continue, to start, then waiting. Review: the riskiest first. Done: the newest first. */
export function sortColumn(column: Column, stories: readonly StoryCard[]): StoryCard[] {
  switch (column) {
    case "review":
      return stories.toSorted(byRisk);
    case "done":
      return stories.toSorted((one, other) => (endOf(one) > endOf(other) ? -1 : 1));
    default:
      return stories.toSorted(byUrgency);
  }
}

const endOf = ({ run }: StoryCard): string => run?.endedAt ?? "";
