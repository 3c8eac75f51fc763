// What is different between two commits, as facts: nothing is judged here. Read from git's objects by
// their ids, so that no attribute, configuration or odd name in the repository decides what is seen.

import { SagaError } from "../errors.ts";
import type { Git } from "../machine/git.ts";
import { blobSizes, inBatches, PLAINLY, readBlobs } from "./blobs.ts";

export interface Changes {
  readonly files: readonly Change[];
  /** How many files there were before. */
  readonly filesBefore: number;
}

export type ChangeStatus = "added" | "modified" | "deleted" | "renamed" | "type-changed";

export interface Change {
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
  readonly before: Side | undefined;
  readonly after: Side | undefined;
  /** Where a link leads, as it is written there. */
  readonly linkTarget: string | undefined;
}

/** As git keeps it. */
export interface Side {
  readonly id: string;
  readonly kind: "file" | "link" | "submodule";
  readonly isExecutable: boolean;
}

export interface AddedText {
  readonly path: string;
  /** The new text, in which every line that was there before is empty. */
  readonly text: string;
}

/** Text beyond this is data: it is not held in memory to be looked at. */
export const MAX_TEXT_BYTES = 10_000_000;

export async function readChanges(git: Git, from: string, to: string): Promise<Changes> {
  const listed = parseDiff(await git.ask(diffArgs(from, to), PLAINLY));
  if (listed === undefined) {
    throw new SagaError("program-failed", `The list of changes in ${git.folder} is too long.`, {
      hint: "See with `git status` whether folders like node_modules were committed by mistake.",
    });
  }
  const sizes = await sizesOf(git, listed);
  const sized = listed.map((change) => ({
    ...change,
    bytes: sizes.get(change.after?.id ?? "") ?? 0,
  }));
  const looks = await lookAt(git, sized.filter(needsLook));
  return {
    files: sized.map((change) => looked(change, looks)),
    filesBefore: await countFiles(git, from),
  };
}

/** Every path of a commit. */
export const pathsAt = async (git: Git, commit: string): Promise<readonly string[]> =>
  (await git.ask(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit], PLAINLY))
    .split("\0")
    .filter((path) => path !== "");

/** The text that is new in each file; nothing of files that are not text, or too large. */
export async function* readAddedText(git: Git, changes: Changes): AsyncGenerator<AddedText> {
  const texts = changes.files.flatMap(textSides);
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
    for (const { path, before, after } of batch) {
      yield { path, text: onlyNew(read.get(before ?? ""), read.get(after) ?? "") };
    }
  }
}

interface TextSides {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
  readonly bytes: number;
}

/** The ids of its old and its new text, when it has a new one that can be looked at. */
function textSides({ path, before, after, isBinary, bytes }: Change): readonly TextSides[] {
  if (after?.kind !== "file" || isBinary || bytes === 0 || bytes > MAX_TEXT_BYTES) return [];
  const old = before?.kind === "file" ? before.id : undefined;
  return old === after.id ? [] : [{ path, before: old, after: after.id, bytes }];
}

function onlyNew(before: string | undefined, after: string): string {
  if (before === undefined) return after;
  const old = new Set(before.split("\n"));
  const lines = after.split("\n");
  return lines.map((line) => (old.has(line) ? "" : line)).join("\n");
}

/**
 * Renames are looked for among at most so many files: it takes as many comparisons as the square of
 * it. Files that were moved and not changed are found in any case.
 */
const RENAME_LIMIT = 1000;

const diffArgs = (from: string, to: string): string[] => [
  "diff-tree",
  "-r",
  "-z",
  "--raw",
  "--numstat",
  "--no-ext-diff",
  "--no-textconv",
  "--no-relative",
  // What `.gitmodules` says about not looking is for people.
  "--ignore-submodules=none",
  "--find-renames",
  `-l${RENAME_LIMIT}`,
  from,
  to,
  "--",
];

type Listed = Omit<Change, "bytes" | "linkTarget">;

const RAW =
  /^:(?<oldMode>\d{6}) (?<newMode>\d{6}) (?<oldId>[0-9a-f]+) (?<newId>[0-9a-f]+) (?<letter>[A-Z])\d*$/;
const STATUSES: Readonly<Record<string, ChangeStatus>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  T: "type-changed",
};

/** First all changes, then the lines of each in the same order. Nothing when it is not whole. */
function parseDiff(output: string): readonly Listed[] | undefined {
  const words = output.split("\0").values();
  const next = (): string => words.next().value ?? "";
  const changes: Omit<Listed, "addedLines" | "deletedLines" | "isBinary">[] = [];
  let word = next();
  for (; word.startsWith(":"); word = next()) {
    const {
      oldMode = "",
      newMode = "",
      oldId = "",
      newId = "",
      letter = "",
    } = RAW.exec(word)?.groups ?? {};
    const status = STATUSES[letter];
    if (status === undefined) return undefined;
    const from = status === "renamed" ? next() : undefined;
    const [before, after] = [sideOf(oldMode, oldId), sideOf(newMode, newId)];
    changes.push({ path: next(), status, from, before, after });
  }
  const listed: Listed[] = [];
  for (const change of changes) {
    const [added, deleted, path] = splitTwice(word);
    if (added === undefined || (path === "" ? (next(), next()) : path) !== change.path) {
      return undefined;
    }
    const isBinary = added === "-";
    listed.push({
      ...change,
      isBinary,
      addedLines: isBinary ? 0 : Number(added),
      deletedLines: isBinary ? 0 : Number(deleted),
    });
    word = next();
  }
  return word === "" ? listed : undefined;
}

/** The name behind the two numbers may hold a tab itself; behind a rename's it comes by itself, twice. */
const splitTwice = (word: string): (string | undefined)[] =>
  /^(?<added>\d+|-)\t(?<deleted>\d+|-)\t(?<path>.*)$/s.exec(word)?.slice(1) ?? [];

function sideOf(mode: string, id: string): Side | undefined {
  switch (mode) {
    case "000000":
      return undefined;
    case "120000":
      return { id, kind: "link", isExecutable: false };
    case "160000":
      return { id, kind: "submodule", isExecutable: false };
    default:
      return { id, kind: "file", isExecutable: mode === "100755" };
  }
}

const sizesOf = (git: Git, changes: readonly Listed[]): Promise<ReadonlyMap<string, number>> =>
  blobSizes(
    git,
    changes.flatMap(({ after }) => (after && after.kind !== "submodule" ? after.id : [])),
  );

type Sized = Omit<Change, "linkTarget">;

interface Look {
  readonly linkTarget?: string;
  /** Of what was called binary, and is text after all. */
  readonly lines?: number;
}

/** The target of a link may also be the content of a file. */
const keyOf = ({ kind, id }: Side): string => `${kind} ${id}`;

/** Attributes can call any text binary: what is claimed to be is looked at. */
const needsLook = ({ after, isBinary, bytes }: Sized): boolean =>
  after?.kind === "link" || (isBinary && after?.kind === "file" && bytes <= MAX_TEXT_BYTES);

function looked(change: Sized, looks: ReadonlyMap<string, Look>): Change {
  const look = needsLook(change) && change.after ? looks.get(keyOf(change.after)) : undefined;
  const { lines, linkTarget } = look ?? {};
  if (lines === undefined) return { ...change, linkTarget };
  return { ...change, isBinary: false, addedLines: lines, linkTarget };
}

/** As git itself decides. */
const isBinaryText = (text: string): boolean => text.slice(0, 8000).includes("\0");

async function countFiles(git: Git, commit: string): Promise<number> {
  const dots = await git.ask(["ls-tree", "-r", "--full-tree", "--format=.", commit], PLAINLY);
  return dots === "" ? 0 : Math.ceil(dots.length / 2);
}

/** What was found in each, by its id: the contents themselves are too much to keep. */
async function lookAt(git: Git, changes: readonly Sized[]): Promise<ReadonlyMap<string, Look>> {
  const looks = new Map<string, Look>();
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
