// Holds the entities and notifies the components that watch them. Messages are applied at once, so that none queue
// up in a hidden tab; components are notified once per frame.

import type { Entities, Kind } from "../../protocol/messages.ts";
import {
  applyMessage,
  keyOf,
  NO_ENTITIES,
  type EntityKey,
  type EntityMessage,
  type KnownEntities,
} from "./entities.ts";

/** `locked`: the server runs and refuses this browser. */
export type ConnectionState = "connecting" | "live" | "lost" | "locked";

export interface PageStore {
  readonly entities: () => Entities;
  readonly connection: () => ConnectionState;
  /** Required for actions. Empty until the first snapshot. */
  readonly token: () => string;
  /** Saga was updated while the page was open: the server now has another version of the page. */
  readonly isOutdated: () => boolean;
  /** Returns false if changes are missing: the caller then requests a snapshot. */
  readonly receive: (message: EntityMessage) => boolean;
  readonly setConnection: (next: ConnectionState) => void;
  readonly watchEntity: (kind: Kind, id: string, listener: () => void) => () => void;
  readonly watchAll: (listener: () => void) => () => void;
}

/** @param nextFrame calls back once, soon: `requestAnimationFrame` in a page. */
export function createStore(nextFrame: (notify: () => void) => void): PageStore {
  let known: KnownEntities | undefined;
  let connection: ConnectionState = "connecting";
  let token = "";
  let version: string | undefined;
  let isOutdated = false;
  const watchers = new Map<EntityKey, Set<() => void>>();
  const watchersOfAll = new Set<() => void>();
  let changed: Set<EntityKey> | "all" = new Set();
  let isScheduled = false;

  return {
    entities: () => known?.entities ?? NO_ENTITIES,
    connection: () => connection,
    token: () => token,
    isOutdated: () => isOutdated,
    receive(message) {
      const result = applyMessage(known, message);
      if (result.is !== "applied") return result.is === "old";
      known = result.known;
      if (message.type === "snapshot") {
        isOutdated ||= version !== undefined && version !== message.version;
        ({ token, version } = message);
      }
      if (result.changed === "all" || changed === "all") changed = "all";
      else for (const key of result.changed) changed.add(key);
      notifySoon();
      return true;
    },
    setConnection(next) {
      if (connection === next) return;
      connection = next;
      notifySoon();
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

  function notifySoon(): void {
    if (isScheduled) return;
    isScheduled = true;
    nextFrame(() => {
      isScheduled = false;
      const keys = changed === "all" ? [...watchers.keys()] : [...changed];
      changed = new Set();
      for (const key of keys) for (const listener of watchers.get(key) ?? []) listener();
      for (const listener of watchersOfAll) listener();
    });
  }
}
