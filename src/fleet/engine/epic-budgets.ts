// What the present run of an epic may cost on all machines together. Counted from the records of its stories' runs, so every
// machine comes to the same answer, and none has to follow the epic.

import type { Database } from "./database.ts";
import { STORY } from "./job-flow.ts";

export interface EpicRunBudget {
  readonly epic: string;
  readonly stories: readonly string[];
  /** Undefined for no limit. */
  readonly budgetUsd: number | undefined;
  /** What runs had cost before, by id: more than the database knows, if it was created again. */
  readonly before?: Readonly<Record<string, number>>;
}

export interface EpicBudget {
  readonly epic: string;
  readonly stories: readonly string[];
  readonly budgetUsd: number;
  readonly spentUsd: number;
}

export interface EpicBudgets {
  /** `isNewRun`: costs count from now on. Otherwise what was spent in this run still counts. */
  readonly save: (run: EpicRunBudget, options: { readonly isNewRun: boolean }) => Promise<void>;
  readonly ofEpic: (epic: string) => Promise<EpicBudget | undefined>;
  /** Of the epic whose run a member works on the story for. Undefined if there is no limit, or a person runs the story. */
  readonly ofClaimed: (story: string) => Promise<EpicBudget | undefined>;
}

/** Of a run `r`. Others may write to the database, too. */
const COST = `CASE WHEN jsonb_typeof(r.body->'costUsd') = 'number' THEN (r.body->>'costUsd')::float8 ELSE 0 END`;
const BEFORE = `CASE WHEN jsonb_typeof(e.before->r.run) = 'number' THEN (e.before->>r.run)::float8 ELSE 0 END`;

export function openEpicBudgets(
  { query }: Pick<Database, "query">,
  { schema, jobSchema }: { readonly schema: string; readonly jobSchema: string },
): EpicBudgets {
  const read = async (condition: string, name: string): Promise<EpicBudget | undefined> => {
    const [budget] = await query<EpicBudget>(
      `SELECT e.epic, e.stories, e.budget_usd AS "budgetUsd",
         (SELECT coalesce(sum(greatest(${COST} - ${BEFORE}, 0)), 0)
          FROM ${schema}.run AS r WHERE r.story = ANY(e.stories)) AS "spentUsd"
       FROM ${schema}.epic_run AS e WHERE ${condition}`,
      [name],
    );
    // A row that no Saga wrote may have NaN, which would be passed on to workers.
    const isWhole = Number.isFinite(budget?.budgetUsd) && Number.isFinite(budget?.spentUsd);
    return isWhole ? budget : undefined;
  };
  return {
    async save({ epic, stories, budgetUsd, before = {} }, { isNewRun }) {
      if (budgetUsd === undefined) {
        await query(`DELETE FROM ${schema}.epic_run WHERE epic = $1`, [epic]);
        return;
      }
      await query(
        `INSERT INTO ${schema}.epic_run AS e (epic, stories, budget_usd, before)
         SELECT $1, $2, $3, $4::jsonb || coalesce(
           (SELECT jsonb_object_agg(r.run, ${COST}) FROM ${schema}.run AS r WHERE r.story = ANY($2)), '{}')
         ON CONFLICT (epic) DO UPDATE SET stories = excluded.stories, budget_usd = excluded.budget_usd,
           before = CASE WHEN $5 THEN excluded.before ELSE e.before END`,
        [epic, stories, budgetUsd, JSON.stringify(before), isNewRun],
      );
    },
    ofEpic: (epic) => read("e.epic = $1", epic),
    ofClaimed: (story) =>
      read(
        `$1 = ANY(e.stories) AND EXISTS (SELECT 1 FROM ${jobSchema}.job
           WHERE name = '${STORY}' AND singleton_key = $1 AND state = 'active')`,
        story,
      ),
  };
}
