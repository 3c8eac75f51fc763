// Which stories and epics fit a command: what the picker offers, and what completion suggests.

import { isBegun, type EpicView, type StoryView } from "../../store/views/overview.ts";
import { withAttention } from "../output/needs-you.ts";
import { isRunning, isInFlight, isStartable, type StoryState } from "../../story/state/state.ts";

type Applies = (view: StoryView) => boolean;

const inState =
  (...states: readonly StoryState[]): Applies =>
  ({ state }) =>
    states.includes(state);

const hasWorker: Applies = ({ state }) => isRunning(state);
const isOpen: Applies = ({ state }) => state !== "completed";
const mayStart: Applies = ({ state }) => isStartable(state) || state === "failed";

/** Commands that are not named take every story. */
const APPLIES: Readonly<Record<string, Applies>> = {
  run: mayStart,
  resume: ({ state }) => isInFlight(state) || state === "sent-back",
  worker: mayStart,
  stop: hasWorker,
  attach: hasWorker,
  logs: ({ lastRun }) => lastRun.id !== undefined,
  note: isOpen,
  resolve: inState("blocked"),
  accept: inState("review", "failed"),
  "send-back": inState("review", "failed"),
  merge: inState("review"),
  verify: inState("review", "failed"),
  push: ({ lastRun }) => lastRun.pushError !== undefined,
  diff: isBegun,
  discard: (view) => isBegun(view) && isOpen(view),
  split: (view) => isOpen(view) && !hasWorker(view),
  hydrate: isOpen,
  archive: inState("completed"),
};

/** Whether a command takes every story, whatever its state. */
export const takesEveryStory = (command: string): boolean => APPLIES[command] === undefined;

/** The stories that a person can act on come first, the most urgent one at the top. */
export function applicableStories(
  command: string,
  stories: Iterable<StoryView>,
): readonly StoryView[] {
  const applicable = [...stories].filter((view) => APPLIES[command]?.(view) ?? true);
  const attended = withAttention(applicable).map(({ view }) => view);
  return [...attended, ...applicable.filter((view) => !attended.includes(view))];
}

export const applicableEpics = (command: string, epics: Iterable<EpicView>): readonly EpicView[] =>
  [...epics].filter(({ status, awaitsMerge }) => {
    switch (command) {
      case "merge":
        return awaitsMerge;
      case "run":
      case "epic run":
        return status !== "completed";
      case "attach":
        return status === "in_progress";
      default:
        return true;
    }
  });
