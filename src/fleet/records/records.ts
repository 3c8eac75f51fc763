// Runs and their events in the fleet's database. A row is as its machine wrote it; readers check it.

import { idProblem } from "../../story/definition/names.ts";
import { eventSchema, runSchema, type Run, type RunEvent } from "../../story/state/run.ts";
import type { Database } from "../engine/database.ts";

/** A statement holds at most this many events. */
const BATCH = 200;
/** Larger than any receipt. */
const MAX_EVENT_BYTES = 200_000;

export interface StoredRun {
  readonly run: Run;
  readonly machine: string;
  readonly updatedAt: string;
}

/** What a story has cost on a machine. */
export interface StoryCost {
  readonly story: string;
  readonly machine: string;
  readonly runs: number;
  readonly costUsd: number;
}

export interface RunRecords {
  /** How many events of the run are stored. */
  readonly eventCount: (story: string, run: string) => Promise<number>;
  /** Repeating it changes nothing. `from`: the number of the first event. */
  readonly save: (
    run: Run,
    machine: string,
    events: readonly RunEvent[],
    from: number,
  ) => Promise<void>;
  /** Of other machines, oldest change first. */
  readonly changes: (query: {
    readonly not: string;
    readonly story?: string | undefined;
    readonly since?: string | undefined;
  }) => Promise<readonly StoredRun[]>;
  readonly events: (story: string, run: string, from: number) => Promise<readonly RunEvent[]>;
  readonly costs: () => Promise<readonly StoryCost[]>;
  readonly removeOlderThan: (days: number) => Promise<void>;
}

export function openRecords({ query }: Pick<Database, "query">, schema: string): RunRecords {
  return {
    async eventCount(story, run) {
      const [row] = await query<{ next: number }>(
        `SELECT coalesce(max(seq) + 1, 0)::int AS next FROM ${schema}.event WHERE story = $1 AND run = $2`,
        [story, run],
      );
      return row?.next ?? 0;
    },
    async save(run, machine, events, from) {
      for (let at = 0; at < events.length; at += BATCH) {
        const batch = events.slice(at, at + BATCH).map(bounded);
        await query(
          `INSERT INTO ${schema}.event (machine, story, run, seq, body)
           SELECT $1, $2, $3, $4 + (ordinality - 1)::int, value
           FROM jsonb_array_elements($5::jsonb) WITH ORDINALITY ON CONFLICT DO NOTHING`,
          [machine, run.story, run.id, from + at, JSON.stringify(batch)],
        );
      }
      // After its events: a reader that sees the change finds them.
      await query(
        `INSERT INTO ${schema}.run AS r (story, run, machine, body) VALUES ($1, $2, $3, $4)
         ON CONFLICT (story, run) DO UPDATE SET body = excluded.body, updated_at = clock_timestamp()
         WHERE r.machine = excluded.machine`,
        [run.story, run.id, machine, JSON.stringify(run)],
      );
    },
    async changes({ not, story, since }) {
      const rows = await query<RunRow>(
        `SELECT story, run, machine, body, updated_at::text AS changed FROM ${schema}.run
         WHERE machine <> $1 AND ($2::text IS NULL OR story = $2)
           AND updated_at > coalesce($3::timestamptz, '-infinity')
         ORDER BY updated_at LIMIT 1000`,
        [not, story ?? null, since ?? null],
      );
      return rows.flatMap((row) => storedRun(row) ?? []);
    },
    async events(story, run, from) {
      const rows = await query<{ seq: number; body: unknown }>(
        `SELECT seq, body FROM ${schema}.event WHERE story = $1 AND run = $2 AND seq >= $3 ORDER BY seq`,
        [story, run, from],
      );
      // Up to the first that is missing: it may arrive later.
      return rows
        .filter(({ seq }, at) => seq === from + at)
        .flatMap(({ body }) => eventSchema.safeParse(body).data ?? []);
    },
    costs: () =>
      query<StoryCost>(
        `SELECT story, machine, count(*)::int AS runs,
           coalesce(sum((body->>'costUsd')::float), 0) AS "costUsd"
         FROM ${schema}.run WHERE jsonb_typeof(body->'costUsd') = 'number'
         GROUP BY story, machine ORDER BY story, machine`,
      ),
    async removeOlderThan(days) {
      const age = "clock_timestamp() - $1 * interval '1 day'";
      await query(`DELETE FROM ${schema}.event WHERE at < ${age}`, [days]);
      // The cost of a run counts for its epic's budget.
      await query(
        `DELETE FROM ${schema}.run AS r WHERE updated_at < ${age}
           AND NOT EXISTS (SELECT 1 FROM ${schema}.epic_run WHERE r.story = ANY(stories))`,
        [days],
      );
    },
  };
}

interface RunRow {
  readonly story: string;
  readonly run: string;
  readonly machine: string;
  readonly body: unknown;
  readonly changed: string;
}

/** Undefined for a row that no Saga wrote: its names become the names of folders. */
export function storedRun({
  story,
  run: id,
  machine,
  body,
  changed,
}: RunRow): StoredRun | undefined {
  const run = runSchema.safeParse(body).data;
  const isRight = run?.story === story && run.id === id && idProblem("story", story) === undefined;
  const isMachine = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(machine);
  return run && isRight && isMachine ? { run, machine, updatedAt: changed } : undefined;
}

const bounded = (event: RunEvent): RunEvent => {
  const bytes = Buffer.byteLength(JSON.stringify(event));
  if (bytes <= MAX_EVENT_BYTES) return event;
  const message = `An event of ${Math.round(bytes / 1000)} kB was left out (${event.type}).`;
  return { at: event.at, type: "warning", message };
};
