// How many stories of an epic may run at once, with what is left of its budget. Pure.

interface RestOfBudget {
  /** Undefined without a limit. */
  readonly leftUsd: number | undefined;
  readonly usualUsd: number;
  readonly running: number;
}

/**
 * How many stories the rest is enough for, so that no story is stopped in the middle because another one was started.
 * One story may always use what is left, and running ones are not stopped for this.
 */
export function affordableStories({ leftUsd, usualUsd, running }: RestOfBudget): number {
  if (leftUsd === undefined || usualUsd <= 0) return Infinity;
  return Math.max(1, running, Math.floor(leftUsd / usualUsd));
}
