// The differences between two commits, as facts for the gate. Read from git's objects by id, so that no attribute,
// configuration or unusual name in the repository can hide a change.

import type { Git } from "../../machine/programs/git.ts";
import { blobSizes, inBatches, readBlobs } from "./blobs.ts";
import { listChanges, listCommitChanges, type ListedChange } from "./diff-list.ts";

export interface Changes {
  readonly files: readonly DiffEntry[];
  /** The number of files before, if some were deleted: counting them all takes git a while. */
  readonly filesBefore: number | undefined;
}

export type ChangeStatus = "added" | "modified" | "deleted" | "renamed" | "type-changed";

export interface DiffEntry {
  /** Relative to the top of the repository; the old path of a deleted file. Any character but NUL. */
  readonly path: string;
  readonly status: ChangeStatus;
  /** The old path of a renamed file. */
  readonly from: string | undefined;
  /** Zero for binary files. */
  readonly addedLines: number;
  readonly deletedLines: number;
  readonly isBinary: boolean;
  /** Size of the new content; zero for deleted files and submodules. */
  readonly bytes: number;
  readonly before: FileVersion | undefined;
  readonly after: FileVersion | undefined;
  /** The target of a symlink, as written. */
  readonly linkTarget: string | undefined;
}

export interface CommittedChange extends DiffEntry {
  readonly commit: string;
}

export interface FileVersion {
  readonly id: string;
  readonly kind: "file" | "link" | "submodule";
  readonly isExecutable: boolean;
}

/** Larger text is treated as data and not read into memory. */
export const MAX_TEXT_BYTES = 10_000_000;

export async function readChanges(git: Git, from: string, to: string): Promise<Changes> {
  const files = await readChangedFiles(git, from, to);
  const hasDeletions = files.some(({ status }) => status === "deleted");
  return { files, filesBefore: hasDeletions ? await countFiles(git, from) : undefined };
}

export const readChangedFiles = async (
  git: Git,
  from: string,
  to: string,
): Promise<readonly DiffEntry[]> => complete(git, await listChanges(git, from, to));

/** The changes of each commit. None of the commits may be a merge. */
export const readCommitChanges = async (
  git: Git,
  commits: readonly string[],
): Promise<readonly CommittedChange[]> => complete(git, await listCommitChanges(git, commits));

async function complete<L extends ListedChange>(
  git: Git,
  listed: readonly L[],
): Promise<readonly (L & DiffEntry)[]> {
  const sizes = await sizesOf(git, listed);
  const sized = listed.map((change) => ({
    ...change,
    bytes: sizes.get(change.after?.id ?? "") ?? 0,
  }));
  const inspections = await inspectContents(git, sized.filter(needsInspection));
  return sized.map((change) => withInspection(change, inspections));
}

const sizesOf = (
  git: Git,
  changes: readonly ListedChange[],
): Promise<ReadonlyMap<string, number>> =>
  blobSizes(
    git,
    changes.flatMap(({ after }) => (after && after.kind !== "submodule" ? after.id : [])),
  );

type Sized = Omit<DiffEntry, "linkTarget">;

interface Inspection {
  readonly linkTarget?: string;
  /** Set if an attribute calls the file binary although it is text. */
  readonly lines?: number;
}

/** A symlink and a file can have the same content, and so the same id. */
const keyOf = ({ kind, id }: FileVersion): string => `${kind} ${id}`;

/** Attributes can call any text binary, so we check the content of such files. */
const needsInspection = ({ after, isBinary, bytes }: Sized): boolean =>
  after?.kind === "link" || (isBinary && after?.kind === "file" && bytes <= MAX_TEXT_BYTES);

function withInspection<S extends Sized>(
  change: S,
  inspections: ReadonlyMap<string, Inspection>,
): S & DiffEntry {
  const inspection =
    needsInspection(change) && change.after ? inspections.get(keyOf(change.after)) : undefined;
  const { lines, linkTarget } = inspection ?? {};
  if (lines === undefined) return { ...change, linkTarget };
  return { ...change, isBinary: false, addedLines: lines, linkTarget };
}

/** The same rule as git's. */
const isBinaryText = (text: string): boolean => text.slice(0, 8000).includes("\0");

async function countFiles(git: Git, commit: string): Promise<number> {
  const dots = await git.ask(["ls-tree", "-r", "--full-tree", "--format=.", commit]);
  return dots === "" ? 0 : Math.ceil(dots.length / 2);
}

/** Results by kind and id; the contents themselves would take too much memory. */
async function inspectContents(
  git: Git,
  changes: readonly Sized[],
): Promise<ReadonlyMap<string, Inspection>> {
  const inspections = new Map<string, Inspection>();
  for (const batch of inBatches(changes, ({ bytes }) => bytes)) {
    const texts = await readBlobs(
      git,
      batch.map(({ after }) => after?.id ?? ""),
    );
    for (const { after } of batch) {
      const text = texts.get(after?.id ?? "") ?? "";
      if (after?.kind === "link") inspections.set(keyOf(after), { linkTarget: text });
      else if (after && !isBinaryText(text))
        inspections.set(keyOf(after), { lines: text.split("\n").length });
    }
  }
  return inspections;
}
