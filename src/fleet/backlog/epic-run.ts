// Whether the fleet still works on an epic, as its queue says. Pure.

import type { Epic } from "../../story/definition/epic.ts";
import type { JobView } from "../engine/job-view.ts";

/** Undefined while something can still happen without a person. */
export function endOf(
  states: readonly (JobView["state"] | undefined)[],
): "done" | "parked" | undefined {
  if (states.includes("active") || states.includes("queued")) return undefined;
  // What waits, waits for something that a person has to do.
  return states.every((state) => state === "done") ? "done" : "parked";
}

/** A story that waits is released a moment after the one before it is done, so this takes more than one look. */
const LOOKS_AT_REST = 3;

/** `endOf` for someone who looks again and again. */
export function newEndWatch(): typeof endOf {
  let looks = 0;
  return (states) => {
    const end = endOf(states);
    looks = end === "parked" && states.includes("waiting") ? looks + 1 : 0;
    return looks > 0 && looks < LOOKS_AT_REST ? undefined : end;
  };
}

/** Whether queueing the epic begins a run of it, with a budget of its own, or only joins one. `jobs`: those of its stories. */
export const isNewRun = (jobs: readonly Pick<JobView, "state" | "parked">[]): boolean =>
  endOf(jobs.map(({ state }) => state)) !== undefined ||
  jobs.some(({ parked }) => parked === "budget");

/** Merged stories that others still wait for: the database was away when they were merged. */
export function missedMerges(
  { children }: Pick<Epic, "children">,
  jobs: readonly Pick<JobView, "story" | "state">[],
  isMerged: (story: string) => boolean,
): readonly string[] {
  const waiting = new Set(
    jobs.filter(({ state }) => state === "waiting").map(({ story }) => story),
  );
  const before = children.flatMap(({ id, blockedBy }) => (waiting.has(id) ? blockedBy : []));
  return [...new Set(before)].filter(isMerged);
}

/** Of several jobs of a story the newest counts. */
export const newestJobs = (
  jobs: readonly JobView[],
  stories: ReadonlySet<string>,
): readonly JobView[] => [
  ...new Map(
    jobs.filter(({ story }) => stories.has(story)).map((job) => [job.story, job]),
  ).values(),
];
