// What is different between two commits, as facts: nothing is judged here. Read from git's objects by
// their ids, so that no attribute, configuration or odd name in the repository decides what is seen.

import type { Git } from "../../machine/programs/git.ts";
import { blobSizes, inBatches, readBlobs } from "./blobs.ts";
import { listChanges, listCommitChanges, type ListedChange } from "./diff-list.ts";

export interface Changes {
  readonly files: readonly DiffEntry[];
  /** How many files there were before. */
  readonly filesBefore: number;
}

export type ChangeStatus = "added" | "modified" | "deleted" | "renamed" | "type-changed";

export interface DiffEntry {
  /** From the top of the repository; where it was, when it is deleted. Any character but NUL. */
  readonly path: string;
  readonly status: ChangeStatus;
  /** Where it was before, when it is renamed. */
  readonly from: string | undefined;
  /** Zero for what is not text. */
  readonly addedLines: number;
  readonly deletedLines: number;
  readonly isBinary: boolean;
  /** Of the new content; zero when it is deleted, or a submodule. */
  readonly bytes: number;
  readonly before: FileVersion | undefined;
  readonly after: FileVersion | undefined;
  /** Where a link leads, as it is written there. */
  readonly linkTarget: string | undefined;
}

export interface CommittedChange extends DiffEntry {
  readonly commit: string;
}

/** As git keeps it. */
export interface FileVersion {
  readonly id: string;
  readonly kind: "file" | "link" | "submodule";
  readonly isExecutable: boolean;
}

/** Text beyond this is data: it is not held in memory to be looked at. */
export const MAX_TEXT_BYTES = 10_000_000;

export async function readChanges(git: Git, from: string, to: string): Promise<Changes> {
  return {
    files: await readChangedFiles(git, from, to),
    filesBefore: await countFiles(git, from),
  };
}

export const readChangedFiles = async (
  git: Git,
  from: string,
  to: string,
): Promise<readonly DiffEntry[]> => complete(git, await listChanges(git, from, to));

/** What each of these commits changed by itself; none of them is a merge. */
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
  const looks = await inspectContents(git, sized.filter(needsInspection));
  return sized.map((change) => withInspection(change, looks));
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
  /** Of what was called binary, and is text after all. */
  readonly lines?: number;
}

/** The target of a link may also be the content of a file. */
const keyOf = ({ kind, id }: FileVersion): string => `${kind} ${id}`;

/** Attributes can call any text binary: what is claimed to be is looked at. */
const needsInspection = ({ after, isBinary, bytes }: Sized): boolean =>
  after?.kind === "link" || (isBinary && after?.kind === "file" && bytes <= MAX_TEXT_BYTES);

function withInspection<S extends Sized>(
  change: S,
  looks: ReadonlyMap<string, Inspection>,
): S & DiffEntry {
  const look = needsInspection(change) && change.after ? looks.get(keyOf(change.after)) : undefined;
  const { lines, linkTarget } = look ?? {};
  if (lines === undefined) return { ...change, linkTarget };
  return { ...change, isBinary: false, addedLines: lines, linkTarget };
}

/** As git itself decides. */
const isBinaryText = (text: string): boolean => text.slice(0, 8000).includes("\0");

async function countFiles(git: Git, commit: string): Promise<number> {
  const dots = await git.ask(["ls-tree", "-r", "--full-tree", "--format=.", commit]);
  return dots === "" ? 0 : Math.ceil(dots.length / 2);
}

/** What was found in each, by its id: the contents themselves are too much to keep. */
async function inspectContents(
  git: Git,
  changes: readonly Sized[],
): Promise<ReadonlyMap<string, Inspection>> {
  const looks = new Map<string, Inspection>();
  for (const batch of inBatches(changes, ({ bytes }) => bytes)) {
    const texts = await readBlobs(
      git,
      batch.map(({ after }) => after?.id ?? ""),
    );
    for (const { after } of batch) {
      const text = texts.get(after?.id ?? "") ?? "";
      if (after?.kind === "link") looks.set(keyOf(after), { linkTarget: text });
      else if (after && !isBinaryText(text))
        looks.set(keyOf(after), { lines: text.split("\n").length });
    }
  }
  return looks;
}
