// Reads file contents from git by their ids, many at a time. No path, attribute or configuration affects them.

import { randomUUID } from "node:crypto";
import type { Git } from "../../machine/programs/git.ts";

/** In bytes. */
export async function blobSizes(
  git: Git,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const format = "--batch-check=%(objectname) %(objectsize)";
  const input = [...new Set(ids), ""].join("\n");
  const lines = (await git.ask(["cat-file", "--buffer", format], { input })).split("\n");
  return new Map(
    lines.map((line) => {
      const [id = "", size] = line.split(" ");
      return [id, Number(size)];
    }),
  );
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

/** Contents by id, also of commits. They are separated by a random word that no content can contain. */
export async function readBlobs(
  git: Git,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const mark = randomUUID();
  const input = [...new Set(ids), ""].join("\n");
  const output = await git.ask(["cat-file", "--buffer", `--batch=${mark} %(objectname)`], {
    input,
  });
  const parts = `\n${output}`.split(`\n${mark} `).slice(1);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf("\n");
      return [part.slice(0, end), part.slice(end + 1)];
    }),
  );
}
