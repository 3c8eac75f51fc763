// Groups the pool's tasks by state, sorted as they will be claimed. Pure.

import type { PoolTaskCard } from "../../protocol/messages.ts";

export interface TaskGroup {
  readonly state: PoolTaskCard["state"];
  readonly tasks: readonly PoolTaskCard[];
}

/** A real label is never empty. */
export const ALL_LABELS = "";

const ORDER: readonly PoolTaskCard["state"][] = [
  "needs-you",
  "broken",
  "working",
  "abandoned",
  "ready",
  "waiting",
  "elsewhere",
  "completed",
];

export function groupTasks(tasks: readonly PoolTaskCard[], label: string): TaskGroup[] {
  const shown = tasks.filter((task) => label === ALL_LABELS || task.label === label);
  return ORDER.map((state) => ({
    state,
    tasks: shown.filter((task) => task.state === state).toSorted(byPriority),
  })).filter((group) => group.tasks.length > 0);
}

/** 0 is the most urgent. Of two equal ones the older, with the smaller number, comes first. */
const byPriority = (one: PoolTaskCard, other: PoolTaskCard): number =>
  one.priority - other.priority || one.id.localeCompare(other.id, "en", { numeric: true });

export const labelsOf = (tasks: readonly PoolTaskCard[]): string[] =>
  [...new Set(tasks.flatMap(({ label }) => label ?? []))].toSorted();
