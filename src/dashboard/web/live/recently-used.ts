// A map in the order of use. It evicts the entries that were used longest ago and that no component watches.

interface Watchable {
  readonly listeners: ReadonlySet<unknown>;
}

/** Returns the entry, created if missing, and makes it the most recently used. */
export function touch<T>(map: Map<string, T>, name: string, create: () => T): T {
  const entry = map.get(name) ?? create();
  map.delete(name);
  map.set(name, entry);
  return entry;
}

/** Keeps all watched entries, and the `count` most recently used others, for when a person goes back. */
export function evictOldest(map: Map<string, Watchable>, count: number): void {
  const unwatched = [...map].filter(([, { listeners }]) => listeners.size === 0);
  for (const [name] of unwatched.slice(0, -count)) map.delete(name);
}
