// Everything that a person can do about a story: what its state offers, and what its tasks and its approval add. Pure.

import type { StoryCard } from "../../protocol/messages.ts";
import { actionsFor, type StoryAction } from "./actions.ts";
import { isAtWork } from "./states.ts";

/** The fitting one first. */
export function actionsOf(story: StoryCard): readonly StoryAction[] {
  if (story.isLegacy || story.isArchived) return [];
  if (story.state === "completed") return ["archive"];
  if (isAtWork(story)) return actionsFor(story);
  return [...begun(story), "remove"];
}

function begun(story: StoryCard): readonly StoryAction[] {
  const actions = actionsFor(story);
  if (story.acceptedAt !== undefined) return mergeFirst(actions);
  if (!actions.some((one) => one === "run" || one === "resume")) return actions;
  return [...actions.slice(0, 1), ...decisions(story, actions), ...actions.slice(1), "start-with"];
}

/** Those that are seldom wanted are offered in the menu. */
export const isInMenu = (action: StoryAction): boolean =>
  action === "start-with" || action === "archive" || action === "remove";

const mergeFirst = (actions: readonly StoryAction[]): StoryAction[] => [
  "merge",
  ...actions.filter((one) => one !== "merge" && one !== "accept"),
  "accept",
];

/** Work that is complete and did not pass its gate can be accepted all the same, with a reason. */
function decisions(story: StoryCard, actions: readonly StoryAction[]): readonly StoryAction[] {
  const isComplete = story.tasks.every(({ status }) => status === "completed");
  if (!isComplete || story.tasks.length === 0 || !actions.includes("resume")) return [];
  return ["accept", "reject", "verify"];
}
