// Reads file contents from git by their ids, many at a time. No path, attribute or configuration affects them.

import { decodeBytes } from "../../machine/files/raw-bytes.ts";
import type { Git } from "../../machine/programs/git.ts";
import { objectInfo, readObjects } from "../../machine/programs/object-reader.ts";

/** In bytes. */
export async function blobSizes(
  git: Git,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await objectInfo(git, idsIn(ids));
  return new Map(found.flatMap((object) => (object ? [[object.id, object.bytes]] : [])));
}

const BATCH_BYTES = 4_000_000;

/** Batches of about equal size; a larger item is a batch on its own. */
export function* inBatches<T>(
  items: readonly T[],
  bytesOf: (item: T) => number,
): Generator<readonly T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for (const item of items) {
    if (batch.length > 0 && bytes + bytesOf(item) > BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += bytesOf(item);
  }
  if (batch.length > 0) yield batch;
}

const idsIn = (ids: readonly string[]): string[] => [...new Set(ids)].filter((id) => id !== "");

/** Contents by id, also of commits. */
export async function readBlobs(
  git: Git,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await readObjects(git, idsIn(ids));
  return new Map(
    found.flatMap((object) => (object ? [[object.id, decodeBytes(object.content)]] : [])),
  );
}
