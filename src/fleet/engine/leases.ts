// Leases in PostgreSQL, for all machines of a fleet. One row per name, kept after its release, so that fences only grow. The
// database's clock decides: members need not agree on the time.

import { randomUUID } from "node:crypto";
import { thisProcess, type ProcessId } from "../../machine/processes/process-id.ts";
import type { LeaseRecord, Leases, LeaseState } from "../../store/leases/leases.ts";
import { isLeasePurpose } from "../../store/leases/lease-purpose.ts";
import { requireLeaseName } from "../../store/leases/require-name.ts";
import type { Lease } from "../../store/ownership/ownership.ts";
import type { Database } from "./database.ts";
import { isMachineName } from "./machine-name.ts";

export interface DatabaseLeasesOptions {
  /** The name of this machine in the fleet. */
  readonly machine: string;
  /** The process that acquires them. Default: this one. */
  readonly self?: ProcessId | undefined;
}

interface LeaseRow {
  readonly name: string;
  /** A bigint arrives as text. */
  readonly fence: string;
  readonly record: unknown;
  readonly taken_at: Date;
  readonly expires_at: Date;
  readonly is_alive: boolean;
}

const COLUMNS = `name, fence, record, taken_at, renewed_at + ttl AS expires_at,
  renewed_at + ttl > clock_timestamp() AS is_alive`;

export function openDatabaseLeases(
  { query }: Pick<Database, "query">,
  schema: string,
  { machine, self = thisProcess() }: DatabaseLeasesOptions,
): Leases {
  const table = `${schema}.lease`;
  const read = async (name: string): Promise<LeaseState | undefined> => {
    requireLeaseName(name);
    const rows = await query<LeaseRow>(
      `SELECT ${COLUMNS} FROM ${table} WHERE name = $1 AND record IS NOT NULL`,
      [name],
    );
    return rows.map(stateOf).find((state) => state !== undefined);
  };
  const list = async (): Promise<LeaseState[]> => {
    const rows = await query<LeaseRow>(`SELECT ${COLUMNS} FROM ${table} WHERE record IS NOT NULL`);
    return rows.flatMap((row) => stateOf(row) ?? []);
  };
  return {
    async acquire(name, { owner, purpose = "work", ttlMs }) {
      requireLeaseName(name);
      const record = { owner, purpose, machine, ...self };
      const token = randomUUID();
      for (;;) {
        // Of all that ask at once, one changes the row; the others then see a row that is not free.
        const [row] = await query<LeaseRow & { readonly left_by: unknown }>(
          `INSERT INTO ${table} AS l (name, fence, record, token, ttl)
           VALUES ($1, 1, $2, $3, $4 * interval '1 millisecond')
           ON CONFLICT (name) DO UPDATE SET
             fence = l.fence + 1, left_by = l.record, record = excluded.record, token = excluded.token,
             ttl = excluded.ttl, taken_at = clock_timestamp(), renewed_at = clock_timestamp()
           WHERE l.record IS NULL OR l.renewed_at + l.ttl <= clock_timestamp()
           RETURNING ${COLUMNS}, left_by`,
          [name, JSON.stringify(record), token, ttlMs],
        );
        const own = row && stateOf(row);
        if (own) {
          const tookOverFrom = recordOf({ ...row, record: row.left_by });
          return { lease: inHand({ name, token, own, tookOverFrom }) };
        }
        const held = await read(name);
        // Otherwise it was released meanwhile.
        if (held) return { heldBy: held.record };
      }
    },
    read,
    list,
    async expire(name, fence) {
      requireLeaseName(name);
      await query(
        `UPDATE ${table} SET renewed_at = clock_timestamp() - ttl WHERE name = $1 AND fence = $2`,
        [name, fence],
      );
    },
    async raiseFence(name, fence) {
      requireLeaseName(name);
      // The present owner, if there is one, has a fence that the remote does not know yet: it stays.
      await query(
        `INSERT INTO ${table} AS l (name, fence, ttl) VALUES ($1, $2, '0')
         ON CONFLICT (name) DO UPDATE SET fence = excluded.fence
         WHERE l.record IS NULL AND l.fence < excluded.fence`,
        [name, fence],
      );
    },
    async look() {
      const states = new Map((await list()).map((state) => [state.name, state]));
      return (name) => states.get(name);
    },
  };

  function inHand({ name, token, own, tookOverFrom }: OwnLease): Lease<LeaseRecord> {
    const { fence, record } = own;
    const isChanged = async (change: string): Promise<boolean> => {
      // The token tells this owner from one with the same fence in a database that was created again.
      const rows = await query(
        `UPDATE ${table} SET ${change} WHERE name = $1 AND fence = $2 AND token = $3 RETURNING 1`,
        [name, fence, token],
      );
      return rows.length > 0;
    };
    return {
      name,
      fence,
      record,
      tookOverFrom,
      async isMine() {
        const rows = await query(
          `SELECT 1 FROM ${table} WHERE name = $1 AND fence = $2 AND token = $3`,
          [name, fence, token],
        );
        return rows.length > 0;
      },
      renew: () => isChanged("renewed_at = clock_timestamp()"),
      async release() {
        await isChanged("record = NULL, token = NULL, left_by = NULL");
      },
    };
  }
}

interface OwnLease {
  readonly name: string;
  readonly token: string;
  readonly own: LeaseState;
  readonly tookOverFrom: LeaseRecord | undefined;
}

function stateOf(row: LeaseRow): LeaseState | undefined {
  const record = recordOf(row);
  const { name, is_alive: isAlive } = row;
  return record && { name, fence: Number(row.fence), record, life: isAlive ? "alive" : "dead" };
}

/** People read it, so it must not contain what a terminal acts on. */
const isPlainText = (value: unknown): boolean =>
  typeof value === "string" && !/\p{Cc}/u.test(value);

const TEXTS = ["owner", "machine", "startTime", "bootId", "place"] as const;

/** Undefined for a row that no Saga wrote: others may write to the database too. */
function recordOf({
  record,
  taken_at: takenAt,
  expires_at: expiresAt,
}: Pick<LeaseRow, "record" | "taken_at" | "expires_at">): LeaseRecord | undefined {
  const fields = record as Readonly<Record<string, unknown>> | null;
  const isWhole =
    TEXTS.every((name) => isPlainText(fields?.[name])) &&
    isMachineName(fields?.["machine"]) &&
    Number.isInteger(fields?.["pid"]) &&
    isLeasePurpose(fields?.["purpose"]);
  if (!isWhole) return undefined;
  const times = { takenAt: takenAt.toISOString(), expiresAt: expiresAt.toISOString() };
  return { ...(fields as unknown as LeaseRecord), ...times };
}
