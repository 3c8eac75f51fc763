// A request, from any machine, that the worker of a story ends: at once, as a person wants, or in order, because a budget is
// spent. It is for one owner: a later one is not concerned.

import { storyLease } from "../../store/leases/lease-names.ts";
import type { Database } from "./database.ts";

export interface StopRequest {
  readonly story: string;
  readonly fence: number;
  readonly by: string;
  /** The budget of an epic's run that is spent: the worker ends in order. */
  readonly spentBudgetUsd?: number | undefined;
}

export type EndRequest =
  | { readonly kind: "stop" }
  | { readonly kind: "drain"; readonly budgetUsd: number };

export interface StopRequests {
  readonly request: (request: StopRequest) => Promise<void>;
  /** What is asked of the present owner of the story, on this machine. */
  readonly find: (story: string, machine: string) => Promise<EndRequest | undefined>;
}

export const openStopRequests = (
  { query }: Pick<Database, "query">,
  schema: string,
): StopRequests => ({
  async request({ story, fence, by, spentBudgetUsd }) {
    // A person's stop is not taken back by a spent budget.
    await query(
      `INSERT INTO ${schema}.stop_request AS s (story, fence, by_whom, spent_budget_usd) VALUES ($1, $2, $3, $4)
       ON CONFLICT (story) DO UPDATE SET fence = excluded.fence, by_whom = excluded.by_whom,
         spent_budget_usd = excluded.spent_budget_usd, at = clock_timestamp()
       WHERE s.fence <> excluded.fence OR s.spent_budget_usd IS NOT NULL`,
      [story, fence, by, spentBudgetUsd ?? null],
    );
  },
  async find(story, machine) {
    const [row] = await query<{ readonly budget: number | null }>(
      `SELECT spent_budget_usd AS budget FROM ${schema}.stop_request AS s JOIN ${schema}.lease AS l
         ON l.name = $1 AND l.fence = s.fence AND l.record->>'machine' = $2
       WHERE s.story = $3`,
      [storyLease(story), machine, story],
    );
    if (row === undefined) return undefined;
    return row.budget === null ? { kind: "stop" } : { kind: "drain", budgetUsd: row.budget };
  },
});
