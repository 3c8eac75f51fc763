// The tasks of a list, kept: only the files that changed are read again. Claude writes them in place, and on a
// slow machine even a patient reader may meet half a file: what was a task is called broken only when it is
// so at a second look.

import { join } from "node:path";
import { newListReader } from "../../tasks/reader.ts";
import { newListing, type ListEntry, type PoolListing } from "../../tasks/listing.ts";

export interface PoolList {
  readonly read: () => Promise<PoolListing>;
  /** Whether a file made no sense at the last look. */
  readonly isTorn: () => boolean;
}

export function openPoolList(folder: string): PoolList {
  const reader = newListReader(folder);
  const listing = newListing((id) => join(folder, `${id}.json`));
  const doubtful = new Map<string, ListEntry>();
  return {
    async read() {
      const news = await reader.compare();
      // Unless something was written since, it is what it is.
      for (const [id, entry] of doubtful) listing.put(id, entry);
      doubtful.clear();
      for (const { id, entry } of news) {
        if (!entry) reader.forget(id);
        const isTorn = entry?.problem?.kind === "invalid-json";
        if (isTorn && listing.tasks.has(id)) doubtful.set(id, entry);
        else listing.put(id, entry);
      }
      return listing;
    },
    isTorn: () => doubtful.size > 0,
  };
}
