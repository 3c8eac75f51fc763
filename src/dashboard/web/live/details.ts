// Details that are fetched: kept by address and version, shown until a newer one is there. While work
// goes on versions change many times a second; one request at a time, and not more than two a second.

import { forgetOldest, putLast } from "./by-use.ts";

export interface Detail<T> {
  readonly value?: T;
  readonly error?: string;
}

export interface Details {
  /** Fetches unless exactly this version is here or on its way. */
  readonly want: (address: string, version: number) => void;
  /** Whatever is on show, again: the server may be another, whose versions count anew. */
  readonly refresh: () => void;
  readonly get: <T>(address: string) => Detail<T>;
  readonly watch: (address: string, listener: () => void) => () => void;
}

export type Fetch = (address: string) => Promise<unknown>;

interface Entry {
  detail: Detail<unknown>;
  has: number;
  wants: number;
  isFetching: boolean;
  /** What is here may be of a server that is gone. */
  isStale: boolean;
  readonly listeners: Set<() => void>;
}

const EMPTY: Detail<never> = {};
const REST_MS = 500;
/** Those that nobody looks at any more, kept for the way back. A diff may be two megabytes. */
const KEPT_DETAILS = 10;

export function createDetails(fetchJson: Fetch, restMs = REST_MS): Details {
  const entries = new Map<string, Entry>();

  return {
    get: <T>(address: string) => (entries.get(address)?.detail ?? EMPTY) as Detail<T>,
    watch(address, listener) {
      const { listeners } = entryOf(address);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) forgetOldest(entries, KEPT_DETAILS);
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
      entry.wants = version;
      if (!entry.isFetching && isOld(entry)) void fetchInto(address, entry);
    },
  };

  function entryOf(address: string): Entry {
    return putLast(entries, address, () => ({
      detail: EMPTY,
      has: Number.NaN,
      wants: Number.NaN,
      isFetching: false,
      isStale: false,
      listeners: new Set(),
    }));
  }

  async function fetchInto(address: string, entry: Entry): Promise<void> {
    entry.isFetching = true;
    entry.isStale = false;
    const version = entry.wants;
    try {
      entry.detail = { value: await fetchJson(address) };
    } catch (error) {
      // The last good one stays on show beside the reason.
      entry.detail = {
        ...entry.detail,
        error: String(error instanceof Error ? error.message : error),
      };
    }
    entry.has = version;
    for (const listener of entry.listeners) listener();
    setTimeout(() => {
      entry.isFetching = false;
      if (isOld(entry) && entry.listeners.size > 0) void fetchInto(address, entry);
    }, restMs);
  }
}

const isOld = ({ has, wants, isStale }: Entry): boolean => isStale || has !== wants;
