// The machines of a fleet, as they report themselves. What counts for work are leases; this is for people, and for a
// person's request to drain a machine.

import { SagaError } from "../../errors.ts";
import type { Database } from "./database.ts";
import { isMachineName } from "./machine-name.ts";

export interface MachineView {
  readonly name: string;
  readonly slots: number;
  readonly labels: readonly string[];
  readonly version: string;
  readonly joinedAt: string;
  readonly seenAt: string;
  readonly isDraining: boolean;
  /** `silent`: it has not reported for some time. Its stories may go to others. */
  readonly state: "joined" | "silent" | "left";
}

export interface MachineEntry {
  readonly name: string;
  readonly slots: number;
  readonly labels: readonly string[];
  readonly version: string;
}

interface MachineRow {
  readonly name: string;
  readonly slots: number;
  readonly labels: readonly string[];
  readonly version: string;
  readonly joined_at: Date;
  readonly seen_at: Date;
  readonly is_draining: boolean;
  readonly left_at: Date | null;
  readonly is_silent: boolean;
}

export interface Machines {
  readonly join: (machine: MachineEntry) => Promise<void>;
  /** Returns whether a person wants it to drain. */
  readonly report: (name: string) => Promise<{ readonly isDraining: boolean }>;
  readonly leave: (name: string) => Promise<boolean>;
  readonly drain: (name: string) => Promise<void>;
  readonly list: () => Promise<readonly MachineView[]>;
}

export function openMachines(
  { query }: Pick<Database, "query">,
  schema: string,
  silentAfterSeconds: number,
): Machines {
  const table = `${schema}.machine`;
  return {
    async join({ name, slots, labels, version }) {
      await query(
        `INSERT INTO ${table} (name, slots, labels, version) VALUES ($1, $2, $3, $4)
         ON CONFLICT (name) DO UPDATE SET slots = excluded.slots, labels = excluded.labels,
           version = excluded.version, joined_at = clock_timestamp(), seen_at = clock_timestamp(),
           is_draining = false, left_at = NULL`,
        [name, slots, labels, version],
      );
    },
    async report(name) {
      const [row] = await query<{ is_draining: boolean }>(
        `UPDATE ${table} SET seen_at = clock_timestamp() WHERE name = $1 RETURNING is_draining`,
        [name],
      );
      return { isDraining: row?.is_draining ?? false };
    },
    async leave(name) {
      const rows = await query(
        `UPDATE ${table} SET left_at = clock_timestamp() WHERE name = $1 AND left_at IS NULL RETURNING 1`,
        [name],
      );
      return rows.length > 0;
    },
    async drain(name) {
      const rows = await query(
        `UPDATE ${table} SET is_draining = true WHERE name = $1 RETURNING 1`,
        [name],
      );
      if (rows.length > 0) return;
      throw new SagaError("not-found", `The fleet has no machine ${name}.`, {
        hint: "`saga fleet machines` lists them.",
      });
    },
    async list() {
      const rows = await query<MachineRow>(
        `SELECT *, seen_at + $1 * interval '1 second' < clock_timestamp() AS is_silent
         FROM ${table} ORDER BY name`,
        [silentAfterSeconds],
      );
      // Others may write to the database too.
      return rows.filter(({ name }) => isMachineName(name)).map(viewOf);
    },
  };
}

const isPlain = (text: string): boolean => !/\p{Cc}/u.test(text);

const viewOf = (row: MachineRow): MachineView => ({
  name: row.name,
  slots: row.slots,
  labels: row.labels.filter(isPlain),
  version: isPlain(row.version) ? row.version : "unknown",
  joinedAt: row.joined_at.toISOString(),
  seenAt: row.seen_at.toISOString(),
  isDraining: row.is_draining,
  state: stateOf(row),
});

export const stateOf = ({
  left_at: leftAt,
  is_silent: isSilent,
}: Pick<MachineRow, "left_at" | "is_silent">): MachineView["state"] => {
  if (leftAt !== null) return "left";
  return isSilent ? "silent" : "joined";
};
