// What finished stories of a project took, for estimates.

import type { WorkedStory } from "../../story/state/estimate.ts";
import type { Run } from "../../story/state/run.ts";
import type { Store } from "../store.ts";
import type { StoryView } from "./overview.ts";

/** Enough for a median, and quickly read. */
const MAX_STORIES = 50;

export async function readWorkHistory(
  store: Pick<Store, "listRuns">,
  views: Iterable<StoryView>,
): Promise<WorkedStory[]> {
  const finished = [...views].filter(({ state }) => state === "review" || state === "completed");
  const history: WorkedStory[] = [];
  for (const { record } of finished.slice(0, MAX_STORIES)) {
    const runs = await store.listRuns(record.id).catch(() => []);
    history.push({ tasks: record.tasks.length, workedMs: workedMs(runs) });
  }
  return history;
}

/** Runs of people's commands, such as a merge, have no worker. */
const workedMs = (runs: readonly Run[]): number =>
  runs.reduce(
    (sum, { worker, startedAt, endedAt }) =>
      worker && endedAt ? sum + Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) : sum,
    0,
  );
