// The questions that several pages and the palette ask before an action. Pure.

import type { PageAction, ActionResult } from "../../protocol/actions.ts";
import type { EpicCard, PoolCard, PoolTaskCard, SessionCard } from "../../protocol/messages.ts";
import type { DialogQuestion } from "./action-dialog.tsx";

/**
 * Undefined for a session of another project: the command would stop a story of the same name in this one. A worker of
 * the pool is stopped with its pool.
 */
export function stopSession(
  { name, epic, worker, isHere }: SessionCard,
  pools: readonly PoolCard[],
): DialogQuestion | undefined {
  if (!isHere) return undefined;
  if (worker !== undefined) {
    const own = pools.flatMap(({ workers }) => workers).filter((one) => one.name === worker);
    return own.length === 1 && own[0] ? stopPool(own[0].instance) : undefined;
  }
  return {
    about: "confirm",
    title: "Stop the session",
    text:
      epic === undefined
        ? `Stops \`${name}\` with its worker, its agent and every process they started. The work is kept: you can resume the story.`
        : `Stops \`${name}\`: no more stories start. Running stories continue.`,
    act: { act: "session-stop", session: name },
  };
}

/** Undefined unless a merge needs a person's permission to update the checkout of its target. */
export function updateCheckoutQuestion(
  action: PageAction,
  result: ActionResult,
): DialogQuestion | undefined {
  if (result.isOk || result.question === undefined) return undefined;
  const next = withUpdate(action);
  if (next === undefined) return undefined;
  return {
    about: "confirm",
    title:
      action.act === "epic-run" ? "Run and update your checkout" : "Merge and update your checkout",
    text: result.question,
    act: next,
    isSafe: true,
  };
}

function withUpdate(action: PageAction): PageAction | undefined {
  switch (action.act) {
    case "merge":
    case "epic-merge":
    case "epic-run":
      return { ...action, updateCheckout: true };
    case "accept":
      // The approval is recorded by now: only the merge is left.
      return { act: "merge", story: action.story, updateCheckout: true };
    default:
      return undefined;
  }
}

export const runEpic = ({ id, title }: EpicCard): DialogQuestion => ({
  about: "run-epic",
  epic: id,
  title,
});

/** The stories of the epic are named: they stay. */
export const removeEpic = ({ id, title, children }: EpicCard): DialogQuestion => ({
  about: "confirm",
  title: `Remove ${title}?`,
  text: [
    "Moves its file to `.saga/removed`.",
    children.length > 0 &&
      `${children.length === 1 ? "Its story is" : `Its ${children.length} stories are`} kept, without an epic.`,
  ]
    .filter(Boolean)
    .join(" "),
  word: "Remove",
  act: { act: "remove-epic", epic: id, ...(children.length > 0 && { keepStories: true }) },
});

export const stopPool = (instance: string): DialogQuestion => ({
  about: "confirm",
  title: "Stop the pool",
  text: "Stops its workers and returns their tasks to the list.",
  act: { act: "pool-stop", instance },
});

export const releaseTask = (task: PoolTaskCard): DialogQuestion => ({ about: "release", task });

export const releaseLabel = ({ isQuestion }: PoolTaskCard): string =>
  isQuestion ? "Answer…" : "Release…";

export const canRelease = ({ state }: PoolTaskCard): boolean =>
  state === "needs-you" || state === "working" || state === "abandoned";
