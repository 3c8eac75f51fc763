// The entries of a tree object, as git stores them: `<mode> <name>\0<id in bytes>`.

import { createHash } from "node:crypto";
import { decodeBytes } from "../files/raw-bytes.ts";
import type { GitObject } from "./object-reader.ts";

export interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly id: string;
  /** As it is stored. */
  readonly bytes: Buffer;
}

export function treeEntries({ id, content }: GitObject): TreeEntry[] {
  const idBytes = id.length / 2;
  const entries: TreeEntry[] = [];
  for (let from = 0; from < content.length;) {
    const space = content.indexOf(SPACE, from);
    const nameEnd = content.indexOf(0, space);
    const to = nameEnd + 1 + idBytes;
    entries.push({
      mode: content.toString("latin1", from, space),
      name: decodeBytes(content.subarray(space + 1, nameEnd)),
      id: content.toString("hex", nameEnd + 1, to),
      bytes: content.subarray(from, to),
    });
    from = to;
  }
  return entries;
}

const SPACE = 32;

/** The id that git gives to a tree of these entries, in a repository whose ids are as long as this one. */
export function treeId(entries: readonly TreeEntry[], { length }: string): string {
  const content = Buffer.concat(entries.map(({ bytes }) => bytes));
  return createHash(length === 40 ? "sha1" : "sha256")
    .update(`tree ${content.length}\0`)
    .update(content)
    .digest("hex");
}
