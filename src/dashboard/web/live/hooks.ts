// Hooks for live data. Each component watches exactly what it shows, so that one change redraws one card.

import { createContext, use, useCallback, useEffect, useRef, useSyncExternalStore } from "react";
import type { StoryDetail } from "../../protocol/details.ts";
import type { Entities, Kind } from "../../protocol/messages.ts";
import type { Detail } from "./details.ts";
import type { LiveConnection } from "./live.ts";
import type { LogView } from "./log-store.ts";
import type { ConnectionState } from "./store.ts";

export const LiveContext = createContext<LiveConnection | undefined>(undefined);

export function useLive(): LiveConnection {
  const live = use(LiveContext);
  if (live === undefined) throw new Error("useLive needs a LiveContext.");
  return live;
}

export function useEntity<K extends Kind>(kind: K, id: string): Entities[K][string] | undefined {
  const { store } = useLive();
  const watch = useCallback(
    (listener: () => void) => store.watchEntity(kind, id, listener),
    [store, kind, id],
  );
  return useSyncExternalStore(watch, () => store.entities()[kind][id] as Entities[K][string]);
}

/** A value computed from all entities. Redraws only if `isSame` returns false. */
export function useDerived<T>(
  compute: (entities: Entities) => T,
  isSame: (before: T, now: T) => boolean = Object.is,
): T {
  const { store } = useLive();
  const last = useRef<{ entities: Entities; compute: typeof compute; value: T }>(undefined);
  return useSyncExternalStore(store.watchAll, () => {
    const entities = store.entities();
    const before = last.current;
    if (before?.entities === entities && before.compute === compute) return before.value;
    const now = compute(entities);
    const value = before !== undefined && isSame(before.value, now) ? before.value : now;
    last.current = { entities, compute, value };
    return value;
  });
}

/** For lists of ids and other flat lists. */
export const isSameList = <T>(before: readonly T[], now: readonly T[]): boolean =>
  before.length === now.length && before.every((one, at) => Object.is(one, now[at]));

export function useConnectionState(): ConnectionState {
  const { store } = useLive();
  return useSyncExternalStore(store.watchAll, store.connection);
}

/** Offline, actions are disabled. */
export const useIsOffline = (): boolean => useConnectionState() !== "live";

export function useIsOutdated(): boolean {
  const { store } = useLive();
  return useSyncExternalStore(store.watchAll, store.isOutdated);
}

/** Before the first snapshot an empty list does not mean that there are no entries. */
export const useHasSnapshot = (): boolean =>
  useDerived(({ project }) => project["project"] !== undefined);

export function useDetail<T>(address: string, version: number): Detail<T> {
  const { details } = useLive();
  const watch = useCallback(
    (listener: () => void) => details.watch(address, listener),
    [details, address],
  );
  useEffect(() => details.want(address, version), [details, address, version]);
  return useSyncExternalStore(watch, () => details.get<T>(address));
}

export const storyAddress = (id: string): string => `/api/story/${encodeURIComponent(id)}`;

export const useStoryDetail = (id: string): Detail<StoryDetail> =>
  useDetail(storyAddress(id), useEntity("stories", id)?.version ?? 0);

export function useLog(story: string, run: string): LogView {
  const { logs } = useLive();
  const watch = useCallback(
    (listener: () => void) => logs.watch(story, run, listener),
    [logs, story, run],
  );
  return useSyncExternalStore(watch, () => logs.view(story, run));
}

/** The output of the check that a lane runs now. Undefined until it has arrived. */
export function useOutput(lane: string): string | undefined {
  const { outputs } = useLive();
  const watch = useCallback(
    (listener: () => void) => outputs.watch(lane, listener),
    [outputs, lane],
  );
  return useSyncExternalStore(watch, () => outputs.text(lane));
}
