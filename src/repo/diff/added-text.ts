// Reads the text that a change adds.

import type { Git } from "../../machine/programs/git.ts";
import { blobSizes, inBatches, readBlobs } from "./blobs.ts";
import {
  MAX_TEXT_BYTES,
  type DiffEntry,
  type CommittedChange,
  type FileVersion,
} from "./changes.ts";
import { listPerCommit, sideOf, type WithCommit, type Words } from "./diff-list.ts";

export interface AddedText {
  readonly path: string;
  /** The commit that added it, if commits are read one by one. */
  readonly commit?: string | undefined;
  /** The new text, with every line that existed before left empty. */
  readonly text: string;
}

/** The new text of each file. Binary and very large files are skipped. */
export async function* readAddedText(
  git: Git,
  files: readonly (DiffEntry | CommittedChange)[],
): AsyncGenerator<AddedText> {
  yield* compare(git, files.flatMap(textSides));
}

/** The text that merges add themselves: none of their parents has it. */
export async function* readMergedText(
  git: Git,
  merges: readonly string[],
): AsyncGenerator<AddedText> {
  const listed = (await listMergeChanges(git, merges)).flatMap(({ after, ...rest }) =>
    after?.kind === "file" ? [{ ...rest, after: after.id }] : [],
  );
  const sizes = await blobSizes(
    git,
    listed.map(({ after }) => after),
  );
  const texts = listed.map(({ path, commit, befores, after }) => {
    const before = befores.flatMap(({ kind, id }) => (kind === "file" ? id : []));
    return { path, commit, before, after, bytes: sizes.get(after) ?? 0 };
  });
  yield* compare(
    git,
    texts.filter(({ bytes }) => bytes <= MAX_TEXT_BYTES),
  );
}

interface TextSides extends Omit<AddedText, "text"> {
  /** The ids of the previous versions. */
  readonly before: readonly string[];
  readonly after: string;
  readonly bytes: number;
}

/** Empty if the change has no new text that can be read. */
function textSides(change: DiffEntry | CommittedChange): readonly TextSides[] {
  const { path, before, after, isBinary, bytes } = change;
  if (after?.kind !== "file" || isBinary || bytes === 0 || bytes > MAX_TEXT_BYTES) return [];
  const old = before?.kind === "file" ? [before.id] : [];
  const commit = "commit" in change ? change.commit : undefined;
  return old.includes(after.id) ? [] : [{ path, commit, before: old, after: after.id, bytes }];
}

async function* compare(git: Git, texts: readonly TextSides[]): AsyncGenerator<AddedText> {
  const sizes = await blobSizes(
    git,
    texts.flatMap(({ before }) => before),
  );
  const sizeOf = (id: string): number => sizes.get(id) ?? 0;
  const compared = texts.map((one) => {
    // Without a comparison with very large versions, their lines count as new.
    const before = one.before.filter((id) => sizeOf(id) <= MAX_TEXT_BYTES);
    return { ...one, before, bytes: before.reduce((sum, id) => sum + sizeOf(id), one.bytes) };
  });
  for (const batch of inBatches(compared, ({ bytes }) => bytes)) {
    const ids = batch.flatMap(({ before, after }) => [...before, after]);
    const read = await readBlobs(git, ids);
    for (const { path, commit, before, after } of batch) {
      const olds = before.map((id) => read.get(id) ?? "");
      yield { path, commit, text: onlyNew(olds, read.get(after) ?? "") };
    }
  }
}

function onlyNew(befores: readonly string[], after: string): string {
  if (befores.length === 0) return after;
  const old = new Set(befores.flatMap((text) => text.split("\n")));
  const lines = after.split("\n");
  return lines.map((line) => (old.has(line) ? "" : line)).join("\n");
}

interface MergeChange extends WithCommit {
  readonly path: string;
  /** The versions in the parents that have the file. */
  readonly befores: readonly FileVersion[];
  /** Undefined if the merge deletes the file. */
  readonly after: FileVersion | undefined;
}

const listMergeChanges = (git: Git, merges: readonly string[]): Promise<readonly MergeChange[]> =>
  listPerCommit(git, DIFF, merges, parseMerge);

const DIFF = ["diff-tree", "-r", "-z", "--raw", "-c", "--no-renames", "--ignore-submodules=none"];

/** One colon per parent, then a mode and an id for each parent and for the merge. */
const RAW = /^(?<joined>::+)(?<modes>(?:\d{6} )+)(?<ids>(?:[0-9a-f]+ )+)[A-Z]+$/;

/** Undefined if the output is cut off. */
function parseMerge({ take, peek }: Words): readonly Omit<MergeChange, "commit">[] | undefined {
  const changes: Omit<MergeChange, "commit">[] = [];
  while (peek().startsWith(":")) {
    const { joined = "", modes = "", ids = "" } = RAW.exec(take())?.groups ?? {};
    const modeOf = modes.trim().split(" ");
    const sides = ids
      .trim()
      .split(" ")
      .map((id, index) => sideOf(modeOf[index] ?? "", id));
    const path = take();
    if (sides.length !== joined.length + 1 || modeOf.length !== sides.length || path === "") {
      return undefined;
    }
    const befores = sides.slice(0, -1).filter((side) => side !== undefined);
    changes.push({ path, befores, after: sides.at(-1) });
  }
  return changes;
}
