// The one line by which every list of stories says that work has lost its worker.

import type { StoryView } from "../../store/views/overview.ts";
import { count } from "../../text/plural.ts";
import { isInFlight, isUnattended } from "../../story/state/state.ts";
import type { Paint } from "./terminal.ts";

/** The ids of all that were begun and have no worker. */
export const inFlightIn = (views: Iterable<StoryView>): string[] =>
  [...views].filter(({ state }) => isInFlight(state)).map(({ record }) => record.id);

/** Not those that a person stopped, that reached a limit or that failed: their own rows say so. */
export function inFlightLine(views: Iterable<StoryView>, paint: Paint): string[] {
  const lost = [...views].filter(({ state }) => isUnattended(state)).length;
  if (lost === 0) return [];
  const what = count(lost, "unfinished story", "unfinished stories");
  return [paint("dim", `${what} without a worker: \`saga recover\``)];
}
