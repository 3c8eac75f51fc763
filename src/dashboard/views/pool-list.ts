// Caches the tasks of a list and reads only changed files again. Claude writes them in place, so a reader may find
// half a file: a known task counts as broken only if a second read finds the same.

import { join } from "node:path";
import { newListReader } from "../../tasks/reader.ts";
import { newListing, type ListEntry, type PoolListing } from "../../tasks/listing.ts";

export interface PoolList {
  readonly read: () => Promise<PoolListing>;
  /** A file was invalid at the last read. */
  readonly isTorn: () => boolean;
}

export function openPoolList(folder: string): PoolList {
  const reader = newListReader(folder);
  const listing = newListing((id) => join(folder, `${id}.json`));
  const suspects = new Map<string, ListEntry>();
  return {
    async read() {
      const changes = await reader.compare();
      // If nothing was written since the last read, the file is broken.
      for (const [id, entry] of suspects) listing.put(id, entry);
      suspects.clear();
      for (const { id, entry } of changes) {
        if (!entry) reader.forget(id);
        const isTorn = entry?.problem?.kind === "invalid-json";
        if (isTorn && listing.tasks.has(id)) suspects.set(id, entry);
        else listing.put(id, entry);
      }
      return listing;
    },
    isTorn: () => suspects.size > 0,
  };
}
