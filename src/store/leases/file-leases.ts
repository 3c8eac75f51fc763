// Leases in files, one folder per name.

import { linkSync, lstatSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SagaError } from "../../errors.ts";
import { diskError, errorCode, ifThere, readProblem, readText } from "../../machine/files/files.ts";
import { thisProcess, type ProcessId } from "../../machine/processes/process-id.ts";
import { take, type OwnFile } from "../ownership/file-ownership.ts";
import { fileIn, unreadable } from "../../machine/files/unreadable.ts";
import { foldersOfNumbers } from "../ownership/numbered-files.ts";
import type { OnOwnershipProblem } from "../ownership/ownership.ts";
import { readOwned } from "../ownership/read-owner.ts";
import { CHANGE_COUNTER } from "./lease-names.ts";
import { requireLeaseName } from "./require-name.ts";
import type { LeaseRecord, LeaseRequest, Leases, LeaseState } from "./leases.ts";
import { leaseReading } from "./read-lease.ts";

export interface FileLeasesOptions {
  readonly now: () => number;
  /** The process that acquires them. Default: this one. */
  readonly self?: ProcessId | undefined;
}

export function openFileLeases(
  folder: string,
  { now, self = thisProcess() }: FileLeasesOptions,
): Leases {
  const at = { ...leaseReading(folder, now), ...foldersOfNumbers(folder) };
  return {
    async acquire(name, request) {
      requireLeaseName(name);
      return take(at, name, (fence) => newLeaseFile(fence, request, { now, self }));
    },
    async read(name) {
      requireLeaseName(name);
      return readOrExplain(folder, name, now());
    },
    list: async (onProblem) => listLeases(folder, now(), onProblem),
    // Most stories have no lease, and a failed listing costs more than this question. From Node 22 on, `statSync` would
    // also be silent about a file in place of the folder.
    look: async () => (name) =>
      lstatSync(`${folder}/${name}`, { throwIfNoEntry: false }) &&
      readOrExplain(folder, name, now()),
  };
}

function readOrExplain(folder: string, name: string, nowMs: number): LeaseState | undefined {
  try {
    return readOwned(
      leaseReading(folder, () => nowMs),
      name,
    );
  } catch (error) {
    if (error instanceof SagaError) throw error;
    throw unreadableLease(join(folder, name), error);
  }
}

function listLeases(folder: string, nowMs: number, onProblem?: OnOwnershipProblem): LeaseState[] {
  const names = foldersOfNumbers(folder)
    .names()
    .filter((name) => name !== CHANGE_COUNTER);
  return names.flatMap((name) => {
    try {
      return readOrExplain(folder, name, nowMs) ?? [];
    } catch (error) {
      if (!onProblem) throw error;
      onProblem(unreadable(fileIn(error) ?? join(folder, name), error), name);
      return [];
    }
  });
}

function newLeaseFile(
  fence: number,
  { owner, purpose = "work", ttlMs }: LeaseRequest,
  { now, self }: FileLeasesOptions & { readonly self: ProcessId },
): OwnFile<LeaseRecord> {
  const takenAtMs = now();
  const record: LeaseRecord = {
    owner,
    purpose,
    ...self,
    takenAt: new Date(takenAtMs).toISOString(),
    expiresAt: new Date(takenAtMs + ttlMs).toISOString(),
  };
  // Recognises this owner's file, should the folder be deleted and its numbers start again.
  const nonce = randomName();
  const textUntil = (expiresAt: string): string => JSON.stringify({ ...record, expiresAt, nonce });
  return {
    record,
    linkTo(path) {
      const temporary = temporaryFile(path, fence);
      try {
        writeFileSync(temporary, textUntil(record.expiresAt), { flag: "wx" });
        linkSync(temporary, path);
        return true;
      } catch (error) {
        // The number is taken, or a later winner has removed the temporary file.
        if (errorCode(error) === "EEXIST" || errorCode(error) === "ENOENT") return false;
        throw diskError(error, dirname(path));
      } finally {
        rmSync(temporary, { force: true });
      }
    },
    isAt: (path) => ifThere(() => readText(path))?.includes(`"${nonce}"`) ?? false,
    renew(path) {
      const temporary = temporaryFile(path, fence);
      try {
        writeFileSync(temporary, textUntil(new Date(now() + ttlMs).toISOString()));
        // An owner that took the lease over may have removed the temporary file.
        ifThere(() => renameSync(temporary, path));
      } catch (error) {
        rmSync(temporary, { force: true });
        throw diskError(error, dirname(path));
      }
    },
    empty: (path) => ifThere(() => truncateSync(path)),
  };
}

/** Random, because processes of two containers may share a pid. */
const temporaryFile = (path: string, fence: number): string =>
  join(dirname(path), `.${fence}.${randomName()}.tmp`);

const randomName = (): string => Math.random().toString(36).slice(2);

const unreadableLease = (folder: string, error: unknown): SagaError =>
  new SagaError("bad-file", `Cannot read the lock in ${folder}: it ${readProblem(error)}.`, {
    hint: "Check its type and permissions. Until then its owner is unknown.",
    cause: error,
  });
