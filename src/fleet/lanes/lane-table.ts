// The lanes that a fleet shares, as rows. Each change is one statement, so a kill leaves no half of one. What only the
// lander may do is part of the statement: it changes nothing unless this process owns the lane's lease at that moment,
// as the database sees it.

import { laneId } from "../../landing/lane-id.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { laneLease } from "../../store/leases/lease-names.ts";
import { laneName, type Entry, type Lane, type EntryRequest } from "../../story/landing/entry.ts";
import type { LandedBatch, LandingNow } from "../../story/landing/history.ts";
import type { Landed } from "../../story/landing/landed.ts";
import type { Database } from "../engine/database.ts";
import {
  batchBody,
  bodyOf,
  nowBody,
  sharedLane,
  storedBatch,
  storedEntry,
  storedNow,
  type EntryRow,
  type StoredEntry,
} from "./lane-rows.ts";

export interface LaneTable {
  /** This machine. */
  readonly machine: string;
  /** An entry that waits for another machine comes to this one: it has brought the story here. */
  readonly insert: (entry: EntryRequest) => Promise<Entry>;
  readonly lanes: () => Promise<readonly Lane[]>;
  readonly waiting: (lane: Lane) => Promise<readonly Entry[]>;
  readonly read: (id: string) => Promise<StoredEntry | undefined>;
  /** Entries of this machine that another one landed. */
  readonly landed: (lane: Lane) => Promise<readonly Entry[]>;
  readonly setHold: (id: string, heldBy: string | undefined) => Promise<boolean>;
  readonly mark: (entry: Entry) => Promise<boolean>;
  readonly unmark: (lane: Lane) => Promise<void>;
  readonly hasMarks: (lane: Lane) => Promise<boolean>;
  /** False if it is marked. */
  readonly withdraw: (id: string, outcome: unknown) => Promise<boolean>;
  readonly settle: (entry: Entry) => Promise<void>;
  readonly noteLanded: (entry: Entry, landed: Landed) => Promise<void>;
  readonly leave: (entry: Entry) => Promise<void>;
  readonly now: (lane: Lane) => Promise<LandingNow | undefined>;
  readonly setNow: (lane: Lane, now: LandingNow | undefined) => Promise<void>;
  readonly history: (lane: Lane) => Promise<readonly LandedBatch[]>;
  readonly record: (lane: Lane, batch: LandedBatch) => Promise<void>;
}

/** Read by every process that waits. */
const MAX_HISTORY = 100;
/** The command that waits for it is gone by then. What another machine landed stays until its own has seen it. */
const KEEP = { outcomes: "1 day", landed: "30 days" };

export function openLaneTable(
  { query }: Pick<Database, "query">,
  schema: string,
  machine: string,
): LaneTable {
  const [entries, lease] = [`${schema}.lane_entry`, `${schema}.lease`];
  const self = thisProcess();
  /** The parameters from this number on. */
  const ownsLane = (first: number): string =>
    `EXISTS (SELECT 1 FROM ${lease} WHERE name = $${first} AND record->>'machine' = $${first + 1}
       AND record->>'pid' = $${first + 2} AND record->>'startTime' = $${first + 3}
       AND renewed_at + ttl > clock_timestamp())`;
  const own = (lane: Lane): readonly string[] => [
    laneLease(laneId(lane)),
    machine,
    String(self.pid),
    self.startTime,
  ];
  const select = async (where: string, values: readonly unknown[]): Promise<StoredEntry[]> => {
    const rows = await query<EntryRow>(
      `SELECT * FROM ${entries} WHERE ${where} ORDER BY id`,
      values,
    );
    return rows.flatMap((row) => storedEntry(row) ?? []);
  };
  const change = async (text: string, values: readonly unknown[]): Promise<boolean> =>
    (
      await query(
        `UPDATE ${entries} SET changed_at = clock_timestamp(), ${text} RETURNING 1`,
        values,
      )
    ).length > 0;
  const unsettled = (lane: Lane): Promise<StoredEntry[]> =>
    select(`lane = $1 AND machine = $2 AND outcome->>'kind' = 'landed'`, [laneName(lane), machine]);
  return {
    machine,
    async insert(wanted) {
      const { kind, name, isLeft = false } = wanted;
      const open = await unsettled(wanted.lane);
      const known = open.find(({ entry }) => entry.kind === kind && entry.name === name);
      if (known) return known.entry;
      // The time of arrival by the database's clock, in microseconds: the clocks of machines differ.
      const rows = await query<EntryRow>(
        `WITH arrival AS (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS us)
         INSERT INTO ${entries} AS e (id, lane, kind, name, machine, body, is_left)
         SELECT lpad((us / 1000)::text, 13, '0') || '-' ||
           lpad(to_hex((us % 1000) * 1048576 + floor(random() * 1048576)::bigint), 8, '0'),
           $1, $2, $3, $4, $5, $6 FROM arrival
         ON CONFLICT (lane, kind, name) WHERE outcome IS NULL DO UPDATE SET
           machine = excluded.machine,
           body = CASE WHEN e.machine = excluded.machine THEN e.body ELSE excluded.body END,
           is_left = e.machine = excluded.machine AND e.is_left
         RETURNING *`,
        [laneName(wanted.lane), kind, name, machine, JSON.stringify(bodyOf(wanted)), isLeft],
      );
      const stored = rows[0] && storedEntry(rows[0]);
      if (stored === undefined)
        throw new Error(`The entry ${name} was not stored as it was given.`);
      return stored.entry;
    },
    async lanes() {
      const rows = await query<{ lane: string }>(
        `SELECT lane FROM ${entries} WHERE outcome IS NULL OR outcome->>'kind' = 'landed'
         UNION SELECT lane FROM ${schema}.lane_batch ORDER BY lane`,
      );
      return rows.flatMap(({ lane }) => sharedLane(lane) ?? []);
    },
    waiting: async (lane) =>
      (await select("lane = $1 AND outcome IS NULL", [laneName(lane)])).map(({ entry }) => entry),
    read: async (id) => (await select("id = $1", [id]))[0],
    landed: async (lane) => (await unsettled(lane)).map(({ entry }) => entry),
    setHold: (id, heldBy) =>
      change("held_by = $2 WHERE id = $1 AND outcome IS NULL", [id, heldBy ?? null]),
    mark: ({ id, lane, machine: of }) =>
      change(
        `is_landing = true WHERE id = $1 AND machine = $2 AND outcome IS NULL AND held_by IS NULL
         AND ${ownsLane(3)}`,
        [id, of, ...own(lane)],
      ),
    async unmark(lane) {
      await change(
        `is_landing = false WHERE lane = $1 AND is_landing AND (${ownsLane(2)} OR NOT EXISTS (
           SELECT 1 FROM ${lease} WHERE name = $2 AND record IS NOT NULL
             AND renewed_at + ttl > clock_timestamp()))`,
        [laneName(lane), ...own(lane)],
      );
    },
    async hasMarks(lane) {
      const rows = await query(
        `SELECT 1 FROM ${entries} WHERE lane = $1 AND is_landing AND outcome IS NULL LIMIT 1`,
        [laneName(lane)],
      );
      return rows.length > 0;
    },
    async withdraw(id, outcome) {
      const isWithdrawn = await change(
        "outcome = $2 WHERE id = $1 AND outcome IS NULL AND NOT is_landing",
        [id, JSON.stringify(outcome)],
      );
      if (isWithdrawn) return true;
      const rows = await query(`SELECT 1 FROM ${entries} WHERE id = $1 AND outcome IS NULL`, [id]);
      return rows.length === 0;
    },
    async settle({ id, lane }) {
      await change(
        `outcome = '{"kind":"settled"}' WHERE id = $1 AND machine = $3
         AND (outcome->>'kind' = 'landed' OR (outcome IS NULL AND ${ownsLane(2)}))`,
        [id, ...own(lane)],
      );
    },
    async noteLanded({ id, lane, machine: of }, { tip, onto, commit }) {
      const outcome = { kind: "landed", tip, onto, commit };
      await change(
        `outcome = $2 WHERE id = $1 AND machine = $3 AND outcome IS NULL AND ${ownsLane(4)}`,
        [id, JSON.stringify(outcome), of, ...own(lane)],
      );
    },
    async leave({ id, lane, machine: of }) {
      await change(
        `is_left = true WHERE id = $1 AND machine = $2 AND outcome IS NULL AND ${ownsLane(3)}`,
        [id, of, ...own(lane)],
      );
    },
    async now(lane) {
      const [row] = await query<{ body: unknown }>(
        `SELECT body FROM ${schema}.lane_now WHERE lane = $1`,
        [laneName(lane)],
      );
      return storedNow(row?.body);
    },
    async setNow(lane, now) {
      if (now === undefined) {
        await query(`DELETE FROM ${schema}.lane_now WHERE lane = $1 AND ${ownsLane(2)}`, [
          laneName(lane),
          ...own(lane),
        ]);
        return;
      }
      await query(
        `INSERT INTO ${schema}.lane_now (lane, body) SELECT $1, $6 WHERE ${ownsLane(2)}
         ON CONFLICT (lane) DO UPDATE SET body = excluded.body`,
        [laneName(lane), ...own(lane), JSON.stringify(nowBody(now, machine))],
      );
    },
    async history(lane) {
      const rows = await query<{ body: unknown }>(
        `SELECT body FROM ${schema}.lane_batch WHERE lane = $1 ORDER BY at DESC LIMIT ${MAX_HISTORY}`,
        [laneName(lane)],
      );
      return rows.flatMap(({ body }) => storedBatch(body) ?? []).toReversed();
    },
    async record(lane, batch) {
      await query(`INSERT INTO ${schema}.lane_batch (lane, body) VALUES ($1, $2)`, [
        laneName(lane),
        JSON.stringify(batchBody(batch)),
      ]);
      await query(
        `DELETE FROM ${schema}.lane_batch WHERE lane = $1 AND at < (SELECT at FROM ${schema}.lane_batch
         WHERE lane = $1 ORDER BY at DESC OFFSET ${MAX_HISTORY} LIMIT 1)`,
        [laneName(lane)],
      );
      await query(
        `DELETE FROM ${entries} WHERE changed_at < clock_timestamp() - CASE outcome->>'kind'
         WHEN 'landed' THEN interval '${KEEP.landed}' ELSE interval '${KEEP.outcomes}' END
         AND outcome IS NOT NULL`,
      );
    },
  };
}
