// The order of the queue: the most urgent first, and of these a story that a dead member left before one that has not begun.
// A claim marks its row, so that it has this rank if the member dies; a member that gives it back itself takes the mark off.

import type { Job as BossJob } from "pg-boss";
import type { Database } from "./database.ts";

/** The engine takes the highest first. Between two priorities of stories there is one place, for those that were left. */
export const rankOf = (priority: number): number => -2 * priority;

type Attempt = Pick<BossJob, "id" | "retryCount">;

/** What a dead member left can be claimed at once. */
export const markLeftIfSilent = (
  query: Database["query"],
  schema: string,
  { id, retryCount }: Attempt,
): Promise<unknown> =>
  query(
    `UPDATE ${schema}.job SET priority = priority + 1 - abs(priority % 2), retry_delay = 0
     WHERE id = $1 AND retry_count = $2 AND state = 'active'`,
    [id, retryCount],
  );

/** For a story that cannot start yet: others go first, and it is tried again after the delay. */
export const unmark = (
  query: Database["query"],
  schema: string,
  { id, retryCount }: Attempt,
  delaySeconds: number,
): Promise<unknown> =>
  query(
    `UPDATE ${schema}.job SET priority = priority - abs(priority % 2), retry_delay = $3
     WHERE id = $1 AND retry_count = $2 AND state = 'active'`,
    [id, retryCount, delaySeconds],
  );
