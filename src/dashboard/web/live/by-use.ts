// A map in the order of use, of which only a few are kept that nobody looks at.

interface Watched {
  readonly listeners: ReadonlySet<unknown>;
}

/** The one of that name, made where there is none, put last. */
export function putLast<T>(map: Map<string, T>, name: string, make: () => T): T {
  const found = map.get(name) ?? make();
  map.delete(name);
  map.set(name, found);
  return found;
}

/** All that are watched stay, and so many of the others: those used last, for the way back. */
export function forgetOldest(map: Map<string, Watched>, kept: number): void {
  const unwatched = [...map].filter(([, { listeners }]) => listeners.size === 0);
  for (const [name] of unwatched.slice(0, -kept)) map.delete(name);
}
