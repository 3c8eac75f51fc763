// The line in `list`, `status` and `show` that counts stories whose worker was killed.

import type { StoryView } from "../../store/views/overview.ts";
import { count } from "../../text/plural.ts";
import { isInFlight, isUnattended } from "../../story/state/state.ts";
import type { Paint } from "./terminal.ts";

/** The ids of all started stories without a worker. */
export const unfinishedIn = (views: Iterable<StoryView>): string[] =>
  [...views].filter(({ state }) => isInFlight(state)).map(({ record }) => record.id);

/** Excludes stories that were stopped, reached a limit or failed: their own rows say so. */
export function unfinishedLine(views: Iterable<StoryView>, paint: Paint): string[] {
  const lost = [...views].filter(({ state }) => isUnattended(state)).length;
  if (lost === 0) return [];
  const what = count(lost, "unfinished story", "unfinished stories");
  return [paint("dim", `${what} without a worker: \`saga recover\``)];
}
