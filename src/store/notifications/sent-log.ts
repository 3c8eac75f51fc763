// What has been said to people, so that each notice is said once in each way.
//
// A notice is a folder. Whoever wants to say it takes the lease in there, looks up what was said
// before, says the rest, and writes down each way right after it worked. A lease of a dead process has
// exactly one heir, so a notice whose sayer was killed is said by the next one who knows of it. Killed
// between saying and writing down, it is said twice: better than never.
//
// A way that fails is left to the next one who comes by, but not for ever.

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ifThere, listNames, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import { noticesFolder, type Layout } from "../project/layout.ts";
import { acquireLease, readLease } from "../leases/lease.ts";

/** The right to say one notice. Whoever got it releases it. */
export interface NoticeClaim {
  /** The ways that are still to be said. */
  readonly open: readonly string[];
  readonly noteSaid: (way: string) => void;
  readonly noteFailed: (way: string) => void;
  readonly release: () => void;
}

export interface ClaimRequest {
  /** Those that whoever asks could say it in. */
  readonly ways: readonly string[];
  readonly now: () => number;
}

/** As often as a way may fail, whoever tried. */
const MAX_FAILURES = 3;
/** Only for a sayer in another place; longer than all ways together may take. */
const TTL_MS = 120_000;
const KEEP = 500;

/** Nothing when there is nothing left to say, or someone is just saying it. */
export function claimNotice(
  at: Layout,
  key: string,
  { ways, now }: ClaimRequest,
): NoticeClaim | undefined {
  const folder = folderOf(at, key);
  if (left(ways, readRecord(folder)).length === 0) return undefined;
  const { lease } = acquireLease(folder, { owner: "a notice", ttlMs: TTL_MS, now });
  if (!lease) return undefined;
  // Once more, now that nobody else changes it: someone may have been quicker.
  let record = readRecord(folder);
  const open = left(ways, record);
  if (open.length === 0) {
    lease.release();
    return undefined;
  }
  const write = (change: Partial<SaidRecord>): void => {
    record = { ...record, ...change };
    const when = new Date(now()).toISOString();
    writeDurably(recordFile(folder), `${JSON.stringify({ key, at: when, ...record })}\n`);
  };
  return {
    open,
    noteSaid: (way) => write({ said: [...record.said, way] }),
    noteFailed: (way) =>
      write({ failures: { ...record.failures, [way]: failuresOf(record, way) + 1 } }),
    release: () => lease.release(),
  };
}

/** The oldest go. */
export function pruneNotices(at: Layout, nowMs: number, keep = KEEP): void {
  const names = listNames(noticesFolder(at)).filter((name) => NAME.test(name));
  if (names.length <= keep) return;
  const byAge = names
    .map((name) => join(noticesFolder(at), name))
    .map((folder) => ({ folder, at: ifThere(() => statSync(folder).mtimeMs) ?? 0 }))
    .toSorted((one, other) => other.at - one.at);
  for (const { folder } of byAge.slice(keep)) {
    const isBeingSaid = readLease(folder, "a notice", nowMs)?.life === "alive";
    if (!isBeingSaid) rmSync(folder, { recursive: true, force: true });
  }
}

/** Keys are made of names that people choose: as a file's name they might be too long, or a path. */
function folderOf(at: Layout, key: string): string {
  // Loaded where it is needed: every list would wait for it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const name = createHash("sha256").update(key).digest("hex").slice(0, 32);
  return join(noticesFolder(at), name);
}
/** Nothing else is ever removed. */
const NAME = /^[0-9a-f]{32}$/;

const recordFile = (folder: string): string => join(folder, "said.json");

interface SaidRecord {
  readonly said: readonly string[];
  readonly failures: Readonly<Record<string, number>>;
}

const NOTHING: SaidRecord = { said: [], failures: {} };

/** One that makes no sense was not written by us: better said again than never. */
function readRecord(folder: string): SaidRecord {
  const text = readTextIfThere(recordFile(folder));
  const value = parseJson(text ?? "");
  return isRecord(value) ? { said: value.said, failures: value.failures } : NOTHING;
}

/** By hand: hook scripts may say things too, and load no package. */
function isRecord(value: unknown): value is SaidRecord {
  if (typeof value !== "object" || value === null) return false;
  const { said, failures } = value as Partial<Record<keyof SaidRecord, unknown>>;
  return Array.isArray(said) && typeof failures === "object" && failures !== null;
}

const left = (ways: readonly string[], record: SaidRecord): string[] =>
  ways.filter((way) => !record.said.includes(way) && failuresOf(record, way) < MAX_FAILURES);

const failuresOf = (record: SaidRecord, way: string): number => {
  const failures: unknown = record.failures[way];
  return typeof failures === "number" ? failures : 0;
};
