// Who claims: the identity card of one claimer, a small file beside the claims. A claim is a hard link
// to it, so a claim is whole in the moment it is there, and touching the card is a sign of life for all.

import {
  closeSync,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { diskError, errorCode, ifThere, makeFolder } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import { thisProcess, type ProcessId } from "../../machine/processes/process-id.ts";

export interface ClaimerRecord extends ProcessId {
  /** The worker's name, as it stands in the task. */
  readonly owner: string;
  /** The daemon it belongs to. */
  readonly instance: string;
  /** Where its work goes: the folder that git keeps it in. Cards of older claimers do not say. */
  readonly repository?: string | undefined;
  /** For those who cannot see the process: so long without a sign of life, and it is dead. */
  readonly ttlMs: number;
  /** No two cards have the same. */
  readonly nonce: string;
}

export interface ClaimerFile {
  readonly info: ClaimerRecord;
  /** False when there is something already. */
  readonly linkTo: (path: string) => boolean;
  /** Whether that is this card, and not some other claimer's. */
  readonly isAt: (path: string) => boolean;
  readonly beat: () => void;
  /** What is linked stays. */
  readonly close: (options: { readonly isOver: boolean }) => void;
}

export type ClaimerIdentity = Pick<ClaimerRecord, "owner" | "instance" | "repository" | "ttlMs">;

export function openClaimerFile(path: string, who: ClaimerIdentity): ClaimerFile {
  const sheets = [newVersion(path, who)];
  const current = (): FileVersion => sheets.at(-1) as FileVersion;
  const tryLink = (to: string): boolean => {
    try {
      linkSync(path, to);
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
  };
  return {
    info: current().info,
    linkTo(to) {
      try {
        return tryLink(to);
      } catch (error) {
        // Full (a file has 65,000 names at most on some disks), or cleared away by someone.
        if (!["EMLINK", "ENOENT"].includes(errorCode(error) ?? "")) throw diskError(error, to);
      }
      sheets.push(newVersion(path, who));
      return tryLink(to);
    },
    isAt(at) {
      const found = ifThere(() => statSync(at, { bigint: true }));
      return sheets.some(({ inode, device }) => found?.ino === inode && found.dev === device);
    },
    beat() {
      const now = new Date();
      for (const { handle } of sheets) futimesSync(handle, now, now);
    },
    close({ isOver }) {
      if (isOver) rmSync(path, { force: true });
      for (const { handle } of sheets) closeSync(handle);
      sheets.length = 0;
    },
  };
}

interface FileVersion {
  readonly info: ClaimerRecord;
  /** Kept open, so that its number is not given to another file. */
  readonly handle: number;
  readonly inode: bigint;
  readonly device: bigint;
}

/** No fsync: it says that a process lives, and after a power cut none does. */
function newVersion(path: string, who: ClaimerIdentity): FileVersion {
  const info = { ...who, ...thisProcess(), nonce: Math.random().toString(36).slice(2) };
  const aside = `${path}.${info.nonce}.new`;
  try {
    makeFolder(dirname(path), { isDurable: false });
    const handle = openSync(aside, "wx");
    writeSync(handle, JSON.stringify(info));
    renameSync(aside, path);
    const { ino: inode, dev: device } = fstatSync(handle, { bigint: true });
    return { info, handle, inode, device };
  } catch (error) {
    throw diskError(error, path);
  }
}

/** Nothing for what is empty or makes no sense: a claim that was released, or lost with the power. */
export function parseClaimer(text: string): ClaimerRecord | undefined {
  const card = parseJson(text);
  return isCard(card) ? card : undefined;
}

const TEXTS = ["owner", "instance", "startTime", "bootId", "place", "nonce"] as const;
const NUMBERS = ["pid", "ttlMs"] as const;

const isCard = (value: unknown): value is ClaimerRecord =>
  typeof value === "object" &&
  value !== null &&
  TEXTS.every((name) => typeof Reflect.get(value, name) === "string") &&
  ["string", "undefined"].includes(typeof Reflect.get(value, "repository")) &&
  NUMBERS.every((name) => Number.isFinite(Reflect.get(value, name)));
