// A person's request, on any machine, that the worker of a story stops. It is for one owner: a later one is not stopped by it.

import { storyLease } from "../../store/leases/lease-names.ts";
import type { Database } from "./database.ts";

export interface StopRequest {
  readonly story: string;
  readonly fence: number;
  readonly by: string;
}

export interface StopRequests {
  readonly request: (request: StopRequest) => Promise<void>;
  /** Whether the present owner of the story, on this machine, is asked to stop. */
  readonly isRequested: (story: string, machine: string) => Promise<boolean>;
}

export const openStopRequests = (
  { query }: Pick<Database, "query">,
  schema: string,
): StopRequests => ({
  async request({ story, fence, by }) {
    await query(
      `INSERT INTO ${schema}.stop_request (story, fence, by_whom) VALUES ($1, $2, $3)
       ON CONFLICT (story) DO UPDATE SET fence = excluded.fence, by_whom = excluded.by_whom,
         at = clock_timestamp()`,
      [story, fence, by],
    );
  },
  async isRequested(story, machine) {
    const rows = await query(
      `SELECT 1 FROM ${schema}.stop_request AS s JOIN ${schema}.lease AS l
         ON l.name = $1 AND l.fence = s.fence AND l.record->>'machine' = $2
       WHERE s.story = $3`,
      [storyLease(story), machine, story],
    );
    return rows.length > 0;
  },
});
