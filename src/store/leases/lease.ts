// One owner at a time.
//
// A lease is a folder of numbered files, one for each generation; the highest number counts. Owning
// generation N means having created the file N, which the kernel allows to exactly one process. A
// dead owner's lease is taken over by creating N+1. The highest file is never removed, only emptied
// when it is released, so numbers only grow: whoever acts on an old view creates a number that is
// too low, sees a higher one, and withdraws.
//
// Alive or dead is judged by the process itself (pid, start time, boot) where that can be seen; only
// an owner in another place (machine, container) is judged by its expiry.

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

export interface LeaseRecord extends ProcessId {
  readonly owner: string;
  readonly takenAt: string;
  readonly expiresAt: string;
  readonly generation: number;
}

export interface LeaseState {
  readonly name: string;
  readonly record: LeaseRecord;
  readonly life: "alive" | "dead";
}

/** A lease in hand. Whoever took it releases it. */
export interface Lease {
  readonly record: LeaseRecord;
  /** The dead owner it was taken over from, if any: what that one left half done is yours. */
  readonly tookOverFrom?: LeaseRecord | undefined;
  /** Moves the expiry on; false when someone else has taken the lease over. */
  readonly renew: () => boolean;
  readonly release: () => void;
}

export type Acquired =
  | { readonly lease: Lease; readonly heldBy?: never }
  | { readonly heldBy: LeaseRecord; readonly lease?: never };

export interface LeaseRequest {
  /** Who asks, in words a person understands. */
  readonly owner: string;
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
  // Someone may have moved on since the folder was read, and cleared the number away again.
  if (highest(folder).generation !== record.generation) {
    rmSync(fileOf(folder, record.generation), { force: true });
    return lost(folder, request);
  }
  removeBelow(folder, record.generation);
  return { lease: leaseInHand(folder, record, request, before) };
}

/** The current owner, dead or alive; nothing when it was released or never taken. */
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
    // Gone between listing and reading: a higher one has replaced it.
    if (text === undefined) continue;
    return { generation, record: parseRecord(text) };
  }
}

/** Empty means released. A file that makes no sense was not written by us: as good as released. */
function parseRecord(text: string): LeaseRecord | undefined {
  if (text === "") return undefined;
  try {
    const record: unknown = JSON.parse(text);
    return isLeaseRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

const TEXTS = ["owner", "startTime", "bootId", "place", "takenAt", "expiresAt"] as const;
const NUMBERS = ["pid", "generation"] as const;

/** By hand: hook scripts read leases too, and load no package. */
const isLeaseRecord = (value: unknown): value is LeaseRecord =>
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
    ...thisProcess(),
    takenAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + request.ttlMs).toISOString(),
    generation,
  };
}

/** Written aside and linked into place: whoever sees the file sees all of it. */
function createExclusively(folder: string, record: LeaseRecord): boolean {
  const temporary = temporaryFile(folder, record);
  try {
    writeFileSync(temporary, JSON.stringify(record), { flag: "wx" });
    linkSync(temporary, fileOf(folder, record.generation));
    return true;
  } catch (error) {
    // Taken already; or so far behind that a winner has cleared the temporary file away.
    if (errorCode(error) === "EEXIST" || errorCode(error) === "ENOENT") return false;
    throw diskError(error, folder);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Earlier owners' files, and what those left who died, or will lose, on the way to one. */
function removeBelow(folder: string, generation: number): void {
  for (const { name } of listFolder(folder)) {
    const number = Number(/^\.?(?<number>\d+)\./.exec(name)?.groups?.["number"]);
    const isOver = name.startsWith(".") ? number <= generation : number < generation;
    if (isOver) rmSync(join(folder, name), { force: true });
  }
}

/** Never the same twice: processes of two containers may share a number. */
const temporaryFile = (folder: string, record: LeaseRecord): string =>
  join(folder, `.${record.generation}.${Math.random().toString(36).slice(2)}.tmp`);

function lost(folder: string, request: LeaseRequest): Acquired {
  const { record } = highest(folder);
  // The winner may be done already: then it is simply free again.
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
        // Gone when someone who took over has cleared up in between.
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
