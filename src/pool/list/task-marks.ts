// What the pool writes into a task, under `metadata.saga`. Pure: everything else in the task stays.

import { count } from "../../text/plural.ts";
import type { TaskChange } from "../../tasks/claims/claim.ts";
import type { TaskAnswer, TaskHold } from "../../tasks/task.ts";

export interface Marks {
  readonly run?: string | undefined;
  readonly finished?: string | undefined;
  readonly attempts?: number | undefined;
  readonly lastFailure?: string | undefined;
  readonly held?: TaskHold | undefined;
  readonly answers?: readonly TaskAnswer[] | undefined;
}

/** A mark with the value undefined is removed. */
export const mark =
  (marks: Marks): TaskChange =>
  (task) => {
    const { saga, ...metadata } = task.metadata ?? {};
    const before = typeof saga === "object" && saga !== null ? saga : {};
    const after = Object.fromEntries(
      Object.entries({ ...before, ...marks }).filter(([, value]) => value !== undefined),
    );
    const isEmpty = Object.keys(after).length === 0;
    const { metadata: _, ...rest } = task;
    const all = { ...metadata, ...(!isEmpty && { saga: after }) };
    return Object.keys(all).length === 0 ? rest : { ...rest, metadata: all };
  };

/** Counts one more failure; after `maxAttempts` the task is held for a person. */
export function countFailure(
  attempts: number,
  { reason, maxAttempts, at }: { reason: string; maxAttempts: number; at: string },
): { readonly marks: Marks; readonly isParked: boolean } {
  const isParked = attempts + 1 >= maxAttempts;
  const why = `Failed ${count(attempts + 1, "time")}. ${reason}`;
  return {
    isParked,
    marks: {
      run: undefined,
      attempts: attempts + 1,
      lastFailure: reason,
      ...(isParked && { held: { kind: "parked" as const, why, at } }),
    },
  };
}
