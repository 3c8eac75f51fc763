// All actions that a page offers for a story: those of its state, its tasks and its approval. Pure.

import type { StoryCard } from "../../protocol/messages.ts";
import { stateActions, type StoryAction } from "./actions.ts";
import { isAtWork } from "./states.ts";

/** The most likely one first. */
export function offeredActions(story: StoryCard): readonly StoryAction[] {
  if (story.isLegacy) return [];
  if (story.isArchived) return ["unarchive"];
  if (story.state === "completed") return ["archive"];
  if (isAtWork(story)) return stateActions(story);
  return [...openActions(story), "edit", "new-task", "remove"];
}

function openActions(story: StoryCard): readonly StoryAction[] {
  const actions = stateActions(story);
  if (story.acceptedAt !== undefined) return mergeFirst(actions);
  if (!actions.some((one) => one === "run" || one === "resume")) return actions;
  return [...actions.slice(0, 1), ...decisions(story, actions), ...actions.slice(1), "start-with"];
}

/** Rarely used ones are in the menu. */
export const isInMenu = (action: StoryAction): boolean => IN_MENU.has(action);

const IN_MENU: ReadonlySet<StoryAction> = new Set([
  "start-with",
  "edit",
  "new-task",
  "archive",
  "remove",
]);

const mergeFirst = (actions: readonly StoryAction[]): StoryAction[] => [
  "merge",
  ...actions.filter((one) => one !== "merge" && one !== "accept"),
  "accept",
];

/** Complete work that did not pass its gate can be accepted with a reason. */
function decisions(story: StoryCard, actions: readonly StoryAction[]): readonly StoryAction[] {
  const isComplete = story.tasks.every(({ status }) => status === "completed");
  if (!isComplete || story.tasks.length === 0 || !actions.includes("resume")) return [];
  return ["accept", "reject", "verify"];
}
