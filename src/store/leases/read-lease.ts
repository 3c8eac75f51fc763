// How a lease is read from its files. An owner on this machine is judged by its process, any other by its expiry. Apart from
// `file-leases.ts`, because hook scripts read leases too: without a package, at once, and in few lines.

import { livenessOf } from "../../machine/processes/process-id.ts";
import { parseJson } from "../../text/parse-json.ts";
import { numbersInFolders } from "../ownership/number-paths.ts";
import type { ReadableOwners } from "../ownership/read-owner.ts";
import { isLeasePurpose } from "./lease-purpose.ts";
import type { LeaseRecord } from "./leases.ts";

export const leaseReading = (folder: string, now: () => number): ReadableOwners<LeaseRecord> => ({
  ...numbersInFolders(folder),
  parse: parseRecord,
  isAlive(record) {
    const life = livenessOf(record);
    return life === "unknown" ? Date.parse(record.expiresAt) > now() : life === "alive";
  },
});

const parseRecord = (text: string): LeaseRecord | undefined => leaseRecordOf(parseJson(text));

/** Undefined for a value that is not the record of a lease. */
export function leaseRecordOf(record: unknown): LeaseRecord | undefined {
  if (!isRecordOnDisk(record)) return undefined;
  const { purpose } = record;
  // An unknown purpose may leave something unfinished.
  return { ...record, purpose: isLeasePurpose(purpose) ? purpose : "work" };
}

const TEXTS = ["owner", "startTime", "bootId", "place", "takenAt", "expiresAt"] as const;

/** Without a schema: hook scripts load no package. */
type RecordOnDisk = Omit<LeaseRecord, "purpose"> & { readonly purpose?: unknown };

function isRecordOnDisk(value: unknown): value is RecordOnDisk {
  const fields = value as Readonly<Record<string, unknown>> | null | undefined;
  return (
    TEXTS.every((name) => typeof fields?.[name] === "string") && Number.isInteger(fields?.["pid"])
  );
}
