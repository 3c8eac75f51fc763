// How long work will still take, from what this project's finished stories took. A guess, and shown as one.

import { duration } from "../../text/duration.ts";
import { count } from "../../text/plural.ts";

/** A finished story. */
export interface WorkedStory {
  readonly tasks: number;
  /** The time of all of its runs together. */
  readonly workedMs: number;
}

export interface UsualTask {
  /** The median time of a task. */
  readonly ms: number;
  /** How many stories it comes from. */
  readonly stories: number;
}

/** Fewer say nothing about the next one. */
const MIN_STORIES = 3;

/** Undefined without enough finished stories. */
export function usualTask(history: readonly WorkedStory[]): UsualTask | undefined {
  const times = history
    .filter(({ tasks, workedMs }) => tasks > 0 && workedMs > 0)
    .map(({ tasks, workedMs }) => workedMs / tasks)
    .toSorted((one, other) => one - other);
  const ms = times[Math.floor(times.length / 2)];
  if (ms === undefined || times.length < MIN_STORIES) return undefined;
  return { ms, stories: times.length };
}

/** `parallel`: how many tasks are worked on at the same time. */
export const timeLeftMs = (usual: UsualTask, tasksLeft: number, parallel = 1): number =>
  Math.round((usual.ms * tasksLeft) / Math.max(1, parallel));

export const timeLeftText = (ms: number): string => `~${duration(ms)} left`;

export const estimateNote = ({ stories }: UsualTask): string =>
  `Estimates are from ${count(stories, "finished story", "finished stories")} of this project.`;
