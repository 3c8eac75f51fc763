// The text that a change adds, and nothing that was there before it.

import type { Git } from "../machine/git.ts";
import { blobSizes, inBatches, readBlobs } from "./blobs.ts";
import { MAX_TEXT_BYTES, type Change, type CommittedChange } from "./changes.ts";

export interface AddedText {
  readonly path: string;
  /** That it came with, where each is looked at. */
  readonly commit?: string | undefined;
  /** The new text, in which every line that was there before is empty. */
  readonly text: string;
}

/** The text that is new in each file; nothing of files that are not text, or too large. */
export async function* readAddedText(
  git: Git,
  files: readonly (Change | CommittedChange)[],
): AsyncGenerator<AddedText> {
  const texts = files.flatMap(textSides);
  const sizes = await blobSizes(
    git,
    texts.flatMap(({ before }) => before ?? []),
  );
  // What was too large to be compared counts as new.
  const compared = texts.map((one) => {
    const bytesBefore = sizes.get(one.before ?? "") ?? 0;
    const isTooLarge = bytesBefore > MAX_TEXT_BYTES;
    return isTooLarge ? { ...one, before: undefined } : { ...one, bytes: one.bytes + bytesBefore };
  });
  for (const batch of inBatches(compared, ({ bytes }) => bytes)) {
    const ids = batch.flatMap(({ before, after }) => [before ?? [], after].flat());
    const read = await readBlobs(git, ids);
    for (const { path, commit, before, after } of batch) {
      yield { path, commit, text: onlyNew(read.get(before ?? ""), read.get(after) ?? "") };
    }
  }
}

interface TextSides extends Omit<AddedText, "text"> {
  readonly before: string | undefined;
  readonly after: string;
  readonly bytes: number;
}

/** The ids of its old and its new text, when it has a new one that can be looked at. */
function textSides(change: Change | CommittedChange): readonly TextSides[] {
  const { path, before, after, isBinary, bytes } = change;
  if (after?.kind !== "file" || isBinary || bytes === 0 || bytes > MAX_TEXT_BYTES) return [];
  const old = before?.kind === "file" ? before.id : undefined;
  const commit = "commit" in change ? change.commit : undefined;
  return old === after.id ? [] : [{ path, commit, before: old, after: after.id, bytes }];
}

function onlyNew(before: string | undefined, after: string): string {
  if (before === undefined) return after;
  const old = new Set(before.split("\n"));
  const lines = after.split("\n");
  return lines.map((line) => (old.has(line) ? "" : line)).join("\n");
}
