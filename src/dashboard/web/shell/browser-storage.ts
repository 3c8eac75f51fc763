// What the browser keeps for a person: their theme, view and review. Its storage may be full or blocked: then a value
// lasts until the page is closed.

const unsaved = new Map<string, string | null>();

export function readStored(key: string): string | null {
  const value = unsaved.get(key);
  if (value !== undefined) return value;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Null removes it. */
export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    unsaved.delete(key);
  } catch {
    unsaved.set(key, value);
  }
}

/** Whether all that was written survives a reload. */
export const isStored = (key: string): boolean => !unsaved.has(key);
