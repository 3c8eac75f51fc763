// The file that identifies one claimer, beside the claims. A claim is a hard link to it: so a claim is complete as soon
// as it exists, and touching the file is a heartbeat for all its claims.

import {
  closeSync,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { diskError, errorCode, ifThere, makeFolder } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { ProcessId } from "../../machine/processes/process-id.ts";
import type { OwnFile } from "../ownership/file-ownership.ts";
import type { OwnerRecord } from "../ownership/ownership.ts";

/** `owner` is the worker's name, as in the task. */
export interface ClaimerRecord extends OwnerRecord {
  /** The daemon it belongs to. */
  readonly instance: string;
  /** For observers that cannot see the process: it is dead after this long without a heartbeat. */
  readonly ttlMs: number;
  /** Unique. */
  readonly nonce: string;
}

export interface ClaimerFile extends OwnFile<ClaimerRecord> {
  readonly beat: () => void;
  /** Existing links stay. */
  readonly close: (options: { readonly isOver: boolean }) => void;
}

export type ClaimerIdentity = Pick<ClaimerRecord, "owner" | "instance" | "ttlMs">;

export function openClaimerFile(path: string, identity: ClaimerIdentity & ProcessId): ClaimerFile {
  const first = newVersion(path, identity);
  const versions = [first];
  const tryLink = (to: string): boolean => {
    try {
      linkSync(path, to);
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
  };
  let beatAtMs = 0;
  const beat = (): void => {
    // Each differs from the one before, however short after it: others see a heartbeat by the change.
    beatAtMs = Math.max(Date.now(), beatAtMs + 1);
    const time = new Date(beatAtMs);
    for (const { handle } of versions) futimesSync(handle, time, time);
  };
  return {
    record: first.record,
    linkTo(to) {
      try {
        return tryLink(to);
      } catch (error) {
        // Too many links (some file systems allow 65,000), or the file was deleted.
        if (!["EMLINK", "ENOENT"].includes(errorCode(error) ?? "")) throw diskError(error, to);
      }
      versions.push(newVersion(path, identity));
      return tryLink(to);
    },
    isAt(at) {
      const found = ifThere(() => statSync(at, { bigint: true }));
      return versions.some(({ inode, device }) => found?.ino === inode && found.dev === device);
    },
    renew: beat,
    beat,
    empty(at) {
      const temporary = temporaryFile(path);
      try {
        writeFileSync(temporary, "");
        renameSync(temporary, at);
      } catch (error) {
        rmSync(temporary, { force: true });
        // No space for another name: without the claim, the one before it counts, which was released or is dead.
        if (!["ENOSPC", "EDQUOT"].includes(errorCode(error) ?? "")) throw diskError(error, at);
        rmSync(at, { force: true });
      }
    },
    close({ isOver }) {
      if (isOver) rmSync(path, { force: true });
      for (const { handle } of versions) closeSync(handle);
      versions.length = 0;
    },
  };
}

interface FileVersion {
  readonly record: ClaimerRecord;
  /** Kept open, so that the inode is not reused. */
  readonly handle: number;
  readonly inode: bigint;
  readonly device: bigint;
}

/** No fsync: after a power cut the process is dead anyway. */
function newVersion(path: string, identity: ClaimerIdentity & ProcessId): FileVersion {
  const record = { ...identity, nonce: Math.random().toString(36).slice(2) };
  const temporary = temporaryFile(path);
  try {
    makeFolder(dirname(path), { isDurable: false });
    const handle = openSync(temporary, "wx");
    writeSync(handle, JSON.stringify(record));
    renameSync(temporary, path);
    const { ino: inode, dev: device } = fstatSync(handle, { bigint: true });
    return { record, handle, inode, device };
  } catch (error) {
    throw diskError(error, path);
  }
}

const temporaryFile = (path: string): string =>
  `${path}.${Math.random().toString(36).slice(2)}${TEMPORARY}`;

/** How the names of files end that are renamed within milliseconds. */
export const TEMPORARY = ".new";

/** Undefined for an empty or invalid text: a claim that was released, or lost in a power cut. */
export function parseClaimer(text: string): ClaimerRecord | undefined {
  const claimer = parseJson(text);
  return isClaimerRecord(claimer) ? claimer : undefined;
}

const TEXTS = ["owner", "instance", "startTime", "bootId", "place", "nonce"] as const;
const NUMBERS = ["pid", "ttlMs"] as const;

const isClaimerRecord = (value: unknown): value is ClaimerRecord =>
  typeof value === "object" &&
  value !== null &&
  TEXTS.every((name) => typeof Reflect.get(value, name) === "string") &&
  NUMBERS.every((name) => Number.isFinite(Reflect.get(value, name)));
