// Which stories and epics fit a command: what the picker offers, and what completion suggests.

import { isBegun, type EpicView, type StoryView } from "../../store/views/overview.ts";
import { withAttention } from "../output/needs-you.ts";
import { isInFlight, isStartable, type StoryState } from "../../story/state/state.ts";

type Fits = (view: StoryView) => boolean;

const inState =
  (...states: readonly StoryState[]): Fits =>
  ({ state }) =>
    states.includes(state);

const isRunning = inState("running", "stalled");
const isOpen: Fits = ({ state }) => state !== "completed";
const mayStart: Fits = ({ state }) => isStartable(state) || state === "failed";

/** Commands that are not named take every story. */
const FITS: Readonly<Record<string, Fits>> = {
  run: mayStart,
  resume: ({ state }) => isInFlight(state) || state === "sent-back",
  worker: mayStart,
  stop: isRunning,
  attach: isRunning,
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
  split: (view) => isOpen(view) && !isRunning(view),
  hydrate: isOpen,
  archive: inState("completed"),
};

/** Whether a command takes every story, whatever its state. */
export const takesEveryStory = (command: string): boolean => FITS[command] === undefined;

/** The stories that a person can act on come first, the most urgent one at the top. */
export function fittingStories(
  command: string,
  stories: Iterable<StoryView>,
): readonly StoryView[] {
  const fitting = [...stories].filter((view) => FITS[command]?.(view) ?? true);
  const attended = withAttention(fitting).map(({ view }) => view);
  return [...attended, ...fitting.filter((view) => !attended.includes(view))];
}

export const fittingEpics = (command: string, epics: Iterable<EpicView>): readonly EpicView[] =>
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
