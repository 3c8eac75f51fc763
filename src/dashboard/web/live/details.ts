// Fetched details, cached by address and version, and shown until a newer one arrives. During a run versions change
// many times a second, so there is one request at a time, and at most two a second.

import { evictOldest, touch } from "./recently-used.ts";

export interface Detail<T> {
  readonly value?: T;
  readonly error?: string;
}

export interface Details {
  /** Fetches unless this version is cached or requested. */
  readonly want: (address: string, version: number) => void;
  /** Fetches everything watched again: the server may have restarted, with other versions. */
  readonly refresh: () => void;
  readonly get: <T>(address: string) => Detail<T>;
  readonly watch: (address: string, listener: () => void) => () => void;
}

export type Fetch = (address: string) => Promise<unknown>;

interface Entry {
  detail: Detail<unknown>;
  fetchedVersion: number;
  wantedVersion: number;
  isFetching: boolean;
  /** It may come from an earlier server. */
  isStale: boolean;
  readonly listeners: Set<() => void>;
}

const EMPTY: Detail<never> = {};
const REST_MS = 500;
/** Unwatched details to keep, for when a person goes back. A diff may be two megabytes. */
const MAX_UNWATCHED = 10;

export function createDetails(fetchJson: Fetch, restMs = REST_MS): Details {
  const entries = new Map<string, Entry>();

  return {
    get: <T>(address: string) => (entries.get(address)?.detail ?? EMPTY) as Detail<T>,
    watch(address, listener) {
      const { listeners } = entryOf(address);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) evictOldest(entries, MAX_UNWATCHED);
      };
    },
    refresh() {
      for (const [address, entry] of entries) {
        entry.isStale = true;
        if (entry.listeners.size > 0 && !entry.isFetching) void fetchInto(address, entry);
      }
    },
    want(address, version) {
      const entry = entryOf(address);
      entry.wantedVersion = version;
      if (!entry.isFetching && isOld(entry)) void fetchInto(address, entry);
    },
  };

  function entryOf(address: string): Entry {
    return touch(entries, address, () => ({
      detail: EMPTY,
      fetchedVersion: Number.NaN,
      wantedVersion: Number.NaN,
      isFetching: false,
      isStale: false,
      listeners: new Set(),
    }));
  }

  async function fetchInto(address: string, entry: Entry): Promise<void> {
    entry.isFetching = true;
    entry.isStale = false;
    const version = entry.wantedVersion;
    try {
      entry.detail = { value: await fetchJson(address) };
    } catch (error) {
      // Keeps showing the last good value beside the error.
      entry.detail = {
        ...entry.detail,
        error: String(error instanceof Error ? error.message : error),
      };
    }
    entry.fetchedVersion = version;
    for (const listener of entry.listeners) listener();
    setTimeout(() => {
      entry.isFetching = false;
      if (isOld(entry) && entry.listeners.size > 0) void fetchInto(address, entry);
    }, restMs);
  }
}

const isOld = ({ fetchedVersion, wantedVersion, isStale }: Entry): boolean =>
  isStale || fetchedVersion !== wantedVersion;
