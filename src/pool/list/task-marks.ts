// What the pool writes into a task about itself, under `metadata.saga`. Pure: everything else of the
// task stays as it is.

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

/** A mark that is named and has no value goes away. */
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

/** One failure more; after so many it is for a person to look at. */
export function countFailure(
  attempts: number,
  { reason, maxAttempts, at }: { reason: string; maxAttempts: number; at: string },
): { readonly marks: Marks; readonly isParked: boolean } {
  const isParked = attempts + 1 >= maxAttempts;
  const why = `It has failed ${attempts + 1} times. ${reason}`;
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
