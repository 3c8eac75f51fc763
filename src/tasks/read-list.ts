// Reads a whole list once.

import { join } from "node:path";
import { newListing, type PoolListing } from "./listing.ts";
import { newListReader } from "./reader.ts";

/** A missing list is an empty one. */
export async function readList(list: string): Promise<PoolListing> {
  const listing = newListing((id) => join(list, `${id}.json`));
  for (const { id, entry } of await newListReader(list).compare()) listing.put(id, entry);
  return listing;
}
