// One owner at a time.
//
// A lease is a folder of numbered files, one per generation; the highest number counts. A process owns
// generation N if it created the file N, which the kernel allows to exactly one process. A dead owner's
// lease is taken over by creating N+1. The highest file is never removed, only emptied on release, so
// numbers only grow: a process that acts on an old listing creates a number that is too low, sees a
// higher one, and withdraws.
//
// Liveness is read from the process itself (pid, start time, boot) where it is visible; only an owner
// in another place (machine, container) is judged by its expiry.

import { linkSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  diskError,
  errorCode,
  ifThere,
  listFolder,
  makeFolder,
  readText,
} from "../../machine/files/files.ts";
import {
  livenessOf,
  thisProcess,
  type Liveness,
  type ProcessId,
} from "../../machine/processes/process-id.ts";
import { parseJson } from "../../text/parse-json.ts";
import { isLeasePurpose, legacyPurpose, type LeasePurpose } from "./lease-purpose.ts";

export interface LeaseRecord extends ProcessId {
  /** The owner's name, for people. */
  readonly owner: string;
  readonly purpose: LeasePurpose;
  readonly takenAt: string;
  readonly expiresAt: string;
  readonly generation: number;
}

export interface LeaseState {
  readonly name: string;
  readonly record: LeaseRecord;
  readonly life: "alive" | "dead";
}

/** A lease that this process holds and must release. */
export interface Lease {
  readonly record: LeaseRecord;
  /** The dead owner it was taken over from: this process now finishes that owner's work. */
  readonly tookOverFrom?: LeaseRecord | undefined;
  /** Extends the expiry. False when another process has taken the lease over. */
  readonly renew: () => boolean;
  readonly release: () => void;
}

export type Acquired =
  | { readonly lease: Lease; readonly heldBy?: never }
  | { readonly heldBy: LeaseRecord; readonly lease?: never };

export interface LeaseRequest {
  /** The owner's name, for people. */
  readonly owner: string;
  /** Default: `work`. */
  readonly purpose?: LeasePurpose | undefined;
  readonly ttlMs: number;
  readonly now: () => number;
}

export function acquireLease(folder: string, request: LeaseRequest): Acquired {
  makeFolder(folder);
  const current = highest(folder);
  const before = current.record;
  if (before && judge(before, request.now()) === "alive") return { heldBy: before };

  const record = newRecord(request, current.generation + 1);
  if (!createExclusively(folder, record)) return lost(folder, request);
  // Since the folder was listed, another process may have taken this number, moved on and removed it.
  if (highest(folder).generation !== record.generation) {
    rmSync(fileOf(folder, record.generation), { force: true });
    return lost(folder, request);
  }
  removeBelow(folder, record.generation);
  return { lease: leaseInHand(folder, record, request, before) };
}

/** The current owner, dead or alive. Undefined when the lease is free. */
export function readLease(folder: string, name: string, nowMs: number): LeaseState | undefined {
  const { record } = highest(folder);
  return record && { name, record, life: judge(record, nowMs) };
}

const fileOf = (folder: string, generation: number): string => join(folder, `${generation}.json`);

function generationsIn(folder: string): number[] {
  return listFolder(folder).flatMap(({ name }) =>
    /^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : [],
  );
}

interface Highest {
  readonly generation: number;
  readonly record: LeaseRecord | undefined;
}

function highest(folder: string): Highest {
  for (;;) {
    const generation = Math.max(0, ...generationsIn(folder));
    if (generation === 0) return { generation, record: undefined };
    const text = ifThere(() => readText(fileOf(folder, generation)));
    // Removed between listing and reading: a higher one has replaced it.
    if (text === undefined) continue;
    return { generation, record: parseRecord(text) };
  }
}

/** An empty file is a released lease. One that cannot be parsed was not written by Saga and counts as released. */
function parseRecord(text: string): LeaseRecord | undefined {
  const record = parseJson(text);
  if (!isRecordOnDisk(record)) return undefined;
  const { purpose } = record;
  return { ...record, purpose: isLeasePurpose(purpose) ? purpose : legacyPurpose(record.owner) };
}

type RecordOnDisk = Omit<LeaseRecord, "purpose"> & { readonly purpose?: unknown };

const TEXTS = ["owner", "startTime", "bootId", "place", "takenAt", "expiresAt"] as const;
const NUMBERS = ["pid", "generation"] as const;

/** Without a schema: hook scripts read leases too, and load no package. */
const isRecordOnDisk = (value: unknown): value is RecordOnDisk =>
  typeof value === "object" &&
  value !== null &&
  TEXTS.every((name) => typeof Reflect.get(value, name) === "string") &&
  NUMBERS.every((name) => Number.isInteger(Reflect.get(value, name)));

function judge(record: LeaseRecord, nowMs: number): Exclude<Liveness, "unknown"> {
  const life = livenessOf(record);
  if (life !== "unknown") return life;
  return Date.parse(record.expiresAt) > nowMs ? "alive" : "dead";
}

function newRecord(request: LeaseRequest, generation: number): LeaseRecord {
  const nowMs = request.now();
  return {
    owner: request.owner,
    purpose: request.purpose ?? "work",
    ...thisProcess(),
    takenAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + request.ttlMs).toISOString(),
    generation,
  };
}

/** Written to a temporary file and linked into place, so that no reader sees half of it. */
function createExclusively(folder: string, record: LeaseRecord): boolean {
  const temporary = temporaryFile(folder, record);
  try {
    writeFileSync(temporary, JSON.stringify(record), { flag: "wx" });
    linkSync(temporary, fileOf(folder, record.generation));
    return true;
  } catch (error) {
    // The number is taken, or a later winner has removed the temporary file.
    if (errorCode(error) === "EEXIST" || errorCode(error) === "ENOENT") return false;
    throw diskError(error, folder);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Removes the files of earlier owners, and the temporary files of processes that died or will lose. */
function removeBelow(folder: string, generation: number): void {
  for (const { name } of listFolder(folder)) {
    const number = Number(/^\.?(?<number>\d+)\./.exec(name)?.groups?.["number"]);
    const isOutdated = name.startsWith(".") ? number <= generation : number < generation;
    if (isOutdated) rmSync(join(folder, name), { force: true });
  }
}

/** Random, because processes of two containers may share a pid. */
const temporaryFile = (folder: string, record: LeaseRecord): string =>
  join(folder, `.${record.generation}.${Math.random().toString(36).slice(2)}.tmp`);

function lost(folder: string, request: LeaseRequest): Acquired {
  const { record } = highest(folder);
  // The winner may have released it already.
  return record ? { heldBy: record } : acquireLease(folder, request);
}

function leaseInHand(
  folder: string,
  record: LeaseRecord,
  request: LeaseRequest,
  tookOverFrom: LeaseRecord | undefined,
): Lease {
  const file = fileOf(folder, record.generation);
  const isMine = (): boolean => highest(folder).generation === record.generation;
  return {
    record,
    tookOverFrom,
    renew() {
      if (!isMine()) return false;
      const expiresAt = new Date(request.now() + request.ttlMs).toISOString();
      const temporary = temporaryFile(folder, record);
      try {
        writeFileSync(temporary, JSON.stringify({ ...record, expiresAt }));
        // A process that took the lease over may have removed the temporary file.
        ifThere(() => renameSync(temporary, file));
      } catch (error) {
        rmSync(temporary, { force: true });
        throw diskError(error, folder);
      }
      return isMine();
    },
    release() {
      // Emptied, not removed: the number must stay the highest.
      if (isMine()) ifThere(() => truncateSync(file));
    },
  };
}
