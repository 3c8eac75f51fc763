// Records which notifications were sent, so that each is sent once per channel.
//
// A notification is a folder. To send it, a process takes the lease inside, reads which channels are done, sends on
// the others, and records each right after it worked. The lease of a killed sender is taken over by exactly one other
// process, which sends the rest. A sender that is killed between sending and recording causes a second message, which
// is better than none.
//
// A channel that fails is tried again by the next process, up to a limit.

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ifThere, listNames, readTextIfThere, writeDurably } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import { notificationsFolder, type Layout } from "../project/layout.ts";
import { openFileLeases } from "../leases/file-leases.ts";
import type { Leases } from "../leases/leases.ts";

/** The right to send one notification. Its holder must release it. */
export interface NotificationClaim {
  /** The channels that are left to send on. */
  readonly open: readonly string[];
  readonly noteSent: (channel: string) => void;
  readonly noteFailed: (channel: string) => void;
  readonly release: () => Promise<void>;
}

export interface ClaimRequest {
  /** The channels that this process can send on. */
  readonly channels: readonly string[];
  readonly now: () => number;
}

/** How often a channel may fail, in all processes together. */
const MAX_FAILURES = 3;
/** Only for a sender on another machine. Longer than all channels together may take. */
const TTL_MS = 120_000;
const KEEP = 500;

/** Undefined when nothing is left to send, or another process is sending it. */
export async function claimNotification(
  at: Layout,
  key: string,
  { channels, now }: ClaimRequest,
): Promise<NotificationClaim | undefined> {
  const name = nameOf(key);
  const folder = join(notificationsFolder(at), name);
  if (channelsLeft(channels, readRecord(folder)).length === 0) return undefined;
  const request = { owner: "a notification", ttlMs: TTL_MS };
  const { lease } = await leasesIn(at, now).acquire(name, request);
  if (!lease) return undefined;
  // Read again under the lease: another process may have been faster.
  let record = readRecord(folder);
  const open = channelsLeft(channels, record);
  if (open.length === 0) {
    await lease.release();
    return undefined;
  }
  const write = (change: Partial<SentRecord>): void => {
    record = { ...record, ...change };
    const when = new Date(now()).toISOString();
    writeDurably(recordFile(folder), `${JSON.stringify({ key, at: when, ...record })}\n`);
  };
  return {
    open,
    noteSent: (channel) => write({ sent: [...record.sent, channel] }),
    noteFailed: (channel) =>
      write({ failures: { ...record.failures, [channel]: failuresOf(record, channel) + 1 } }),
    release: () => lease.release(),
  };
}

/** Deletes the oldest. */
export async function pruneSentLog(at: Layout, nowMs: number, keep = KEEP): Promise<void> {
  const leases = leasesIn(at, () => nowMs);
  const names = listNames(notificationsFolder(at)).filter((name) => FOLDER_NAME.test(name));
  if (names.length <= keep) return;
  const byAge = names
    .map((name) => ({ name, folder: join(notificationsFolder(at), name) }))
    .map((one) => ({ ...one, at: ifThere(() => statSync(one.folder).mtimeMs) ?? 0 }))
    .toSorted((one, other) => other.at - one.at);
  for (const { name, folder } of byAge.slice(keep)) {
    const isBeingSent = (await leases.read(name))?.life === "alive";
    if (!isBeingSent) rmSync(folder, { recursive: true, force: true });
  }
}

const leasesIn = (at: Layout, now: () => number): Leases =>
  openFileLeases(notificationsFolder(at), { now });

/** Hashed, because a key contains names that people choose: it may be too long for a file name, or a path. */
function nameOf(key: string): string {
  // Loaded on first use: it would slow down every list.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(key).digest("hex").slice(0, 32);
}
/** No other folder is ever deleted. */
const FOLDER_NAME = /^[0-9a-f]{32}$/;

const recordFile = (folder: string): string => join(folder, "sent.json");

interface SentRecord {
  readonly sent: readonly string[];
  readonly failures: Readonly<Record<string, number>>;
}

const NONE_SENT: SentRecord = { sent: [], failures: {} };

/** An invalid record counts as empty: sending twice is better than never. */
function readRecord(folder: string): SentRecord {
  const value = parseJson(readTextIfThere(recordFile(folder)) ?? "");
  return isRecord(value) ? { sent: value.sent, failures: value.failures } : NONE_SENT;
}

/** Without a schema: hook scripts load no package. */
function isRecord(value: unknown): value is SentRecord {
  if (typeof value !== "object" || value === null) return false;
  const { sent, failures } = value as Partial<Record<keyof SentRecord, unknown>>;
  return Array.isArray(sent) && typeof failures === "object" && failures !== null;
}

const channelsLeft = (channels: readonly string[], record: SentRecord): string[] =>
  channels.filter(
    (channel) => !record.sent.includes(channel) && failuresOf(record, channel) < MAX_FAILURES,
  );

const failuresOf = (record: SentRecord, channel: string): number => {
  const failures: unknown = record.failures[channel];
  return typeof failures === "number" ? failures : 0;
};
