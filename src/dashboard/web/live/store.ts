// Keeps what the page knows and tells those who look on. Messages are applied at once, so that nothing
// queues up in a tab nobody sees; lookers-on are told once per frame, however many messages came in it.

import type { Entities, Kind } from "../../protocol/messages.ts";
import { keyOf, NOTHING, take, type EntityKey, type Known, type Told } from "./entities.ts";

/** Locked: the server is there and does not let this browser in. */
export type Feed = "connecting" | "live" | "lost" | "locked";

export interface PageStore {
  readonly entities: () => Entities;
  readonly feed: () => Feed;
  /** For requests that change something; empty until the first snapshot. */
  readonly token: () => string;
  /** The program was replaced while the page was open: what it serves now is another page. */
  readonly isOutdated: () => boolean;
  /** False when something is missing, and a snapshot has to be asked for. */
  readonly receive: (message: Told) => boolean;
  readonly setFeed: (feed: Feed) => void;
  readonly watchEntity: (kind: Kind, id: string, listener: () => void) => () => void;
  readonly watchAll: (listener: () => void) => () => void;
}

/** @param nextFrame runs what it is given once, soon: `requestAnimationFrame` in a page. */
export function createStore(nextFrame: (tell: () => void) => void): PageStore {
  let known: Known | undefined;
  let feed: Feed = "connecting";
  let token = "";
  let version: string | undefined;
  let isOutdated = false;
  const watchers = new Map<EntityKey, Set<() => void>>();
  const watchersOfAll = new Set<() => void>();
  let changed: Set<EntityKey> | "all" = new Set();
  let isTelling = false;

  return {
    entities: () => known?.entities ?? NOTHING,
    feed: () => feed,
    token: () => token,
    isOutdated: () => isOutdated,
    receive(message) {
      const taken = take(known, message);
      if (taken.is !== "taken") return taken.is === "old";
      known = taken.known;
      if (message.type === "snapshot") {
        isOutdated ||= version !== undefined && version !== message.version;
        ({ token, version } = message);
      }
      if (taken.changed === "all" || changed === "all") changed = "all";
      else for (const key of taken.changed) changed.add(key);
      tellSoon();
      return true;
    },
    setFeed(next) {
      if (feed === next) return;
      feed = next;
      tellSoon();
    },
    watchEntity(kind, id, listener) {
      const key = keyOf(kind, id);
      const listeners = watchers.get(key) ?? new Set();
      watchers.set(key, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) watchers.delete(key);
      };
    },
    watchAll(listener) {
      watchersOfAll.add(listener);
      return () => watchersOfAll.delete(listener);
    },
  };

  function tellSoon(): void {
    if (isTelling) return;
    isTelling = true;
    nextFrame(() => {
      isTelling = false;
      const keys = changed === "all" ? [...watchers.keys()] : [...changed];
      changed = new Set();
      for (const key of keys) for (const listener of watchers.get(key) ?? []) listener();
      for (const listener of watchersOfAll) listener();
    });
  }
}
