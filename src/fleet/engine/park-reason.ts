// Why a job is parked, beside the job: a key, never a text.

import * as z from "zod";
import { PARK_REASONS, type ParkReason } from "../../story/state/fleet-work.ts";
import type { Database } from "./database.ts";

interface ParkNote {
  readonly ids: readonly string[];
  readonly why: ParkReason;
  /** Of the attempt that parks it: a later one is not concerned. */
  readonly retryCount?: number;
}

/** The queue forgets what is over for 30 days. What waits for a person is not over, and others may wait for it. */
const KEEP_SECONDS = 365 * 24 * 3600;

export const noteParked = (
  query: Database["query"],
  schema: string,
  { ids, why, retryCount }: ParkNote,
): Promise<unknown> =>
  query(
    `UPDATE ${schema}.job SET output = $2, deletion_seconds = ${KEEP_SECONDS}
     WHERE id = ANY($1::uuid[]) AND ($3::int IS NULL OR retry_count = $3)`,
    [ids, JSON.stringify({ parked: why }), retryCount ?? null],
  );

const note = z.object({ parked: z.enum(PARK_REASONS) });

/** A job that was given up without a note needs a person, too. */
export const parkReasonIn = (output: unknown): ParkReason =>
  note.safeParse(output).data?.parked ?? "person";
