// The one line by which every list of stories says what was left in flight.

import type { StoryView } from "../store/overview.ts";
import { isInFlight } from "../story/state.ts";
import type { Paint } from "./output.ts";

/** Their ids. */
export const inFlightIn = (views: Iterable<StoryView>): string[] =>
  [...views].filter(({ state }) => isInFlight(state)).map(({ record }) => record.id);

/** Nothing when nothing was. */
export function inFlightLine(ids: readonly string[], paint: Paint): string[] {
  if (ids.length === 0) return [];
  const what =
    ids.length === 1
      ? "1 story was in flight when its worker ended"
      : `${ids.length} stories were in flight when their workers ended`;
  return [paint("dim", `${what}: saga recover`)];
}
