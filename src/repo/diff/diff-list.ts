// Parses git's list of differences between commits.

import { SagaError } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import type { DiffEntry, ChangeStatus, FileVersion } from "./changes.ts";

export type ListedChange = Omit<DiffEntry, "bytes" | "linkTarget">;

export interface WithCommit {
  readonly commit: string;
}

export type ListedCommitChange = ListedChange & WithCommit;

export async function listChanges(
  git: Git,
  from: string,
  to: string,
): Promise<readonly ListedChange[]> {
  const listed = parseChanges(await git.ask([...DIFF, from, to, "--"]));
  if (listed === undefined) throw tooLong(git);
  return listed;
}

/** Of the output of `git diff-tree`. Undefined if it is cut off. */
export function parseChanges(output: string): readonly ListedChange[] | undefined {
  const words = wordsOf(output);
  const listed = parseDiff(words);
  return words.peek() === "" ? listed : undefined;
}

/** The same for several commits. */
export const parseCommitChanges = (
  output: string,
  commits: readonly string[],
): readonly ListedCommitChange[] | undefined => parseEach(output, commits, parseDiff);

/** The changes of each commit against its parent, if it has one. None of the commits may be a merge. */
export const listCommitChanges = (
  git: Git,
  commits: readonly string[],
): Promise<readonly ListedCommitChange[]> =>
  // A merged unrelated history has a root commit; without `--root` it would seem empty.
  listPerCommit(git, [...DIFF, "--root"], commits, parseDiff);

/** Splits the commits in halves if the output of all of them is too long. */
export async function listPerCommit<T>(
  git: Git,
  diff: readonly string[],
  commits: readonly string[],
  parse: (words: Words) => readonly T[] | undefined,
): Promise<readonly (T & WithCommit)[]> {
  if (commits.length === 0) return [];
  const input = commits.map((commit) => `${commit}\n`).join("");
  const output = await git.ask([...diff, "--always", "--stdin"], { input });
  const listed = parseEach(output, commits, parse);
  if (listed !== undefined) return listed;
  if (commits.length === 1) throw tooLong(git);
  const half = Math.ceil(commits.length / 2);
  return [
    ...(await listPerCommit(git, diff, commits.slice(0, half), parse)),
    ...(await listPerCommit(git, diff, commits.slice(half), parse)),
  ];
}

const tooLong = ({ folder }: Git): SagaError =>
  new SagaError("program-failed", `The list of changes in ${folder} is too long.`, {
    hint: "See with `git status` whether folders like node_modules were committed by mistake.",
  });

/**
 * Git looks for renames among at most this many files, because the number of comparisons grows with its square. Files
 * that were moved without a change are always found.
 */
const RENAME_LIMIT = 1000;

const DIFF = [
  "diff-tree",
  "-r",
  "-z",
  "--raw",
  "--numstat",
  "--no-ext-diff",
  "--no-textconv",
  "--no-relative",
  // `.gitmodules` must not hide changes of submodules.
  "--ignore-submodules=none",
  "--find-renames",
  `-l${RENAME_LIMIT}`,
];

const RAW =
  /^:(?<oldMode>\d{6}) (?<newMode>\d{6}) (?<oldId>[0-9a-f]+) (?<newId>[0-9a-f]+) (?<letter>[A-Z])\d*$/;
const STATUSES: Readonly<Record<string, ChangeStatus>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  T: "type-changed",
};

/** A reader of words with one word of lookahead. */
export interface Words {
  readonly take: () => string;
  readonly peek: () => string;
}

function wordsOf(output: string): Words {
  const words = output.split("\0");
  let at = 0;
  return { take: () => words[at++] ?? "", peek: () => words[at] ?? "" };
}

/** First come all changes, then the line counts in the same order. Undefined if the output is cut off. */
function parseDiff({ take, peek }: Words): readonly ListedChange[] | undefined {
  const changes: Omit<ListedChange, "addedLines" | "deletedLines" | "isBinary">[] = [];
  while (peek().startsWith(":")) {
    const {
      oldMode = "",
      newMode = "",
      oldId = "",
      newId = "",
      letter = "",
    } = RAW.exec(take())?.groups ?? {};
    const status = STATUSES[letter];
    if (status === undefined) return undefined;
    const from = status === "renamed" ? take() : undefined;
    const [before, after] = [sideOf(oldMode, oldId), sideOf(newMode, newId)];
    changes.push({ path: take(), status, from, before, after });
  }
  const listed: ListedChange[] = [];
  for (const change of changes) {
    const [added, deleted, path] = splitTwice(take());
    if (added === undefined || (path === "" ? (take(), take()) : path) !== change.path) {
      return undefined;
    }
    const isBinary = added === "-";
    listed.push({
      ...change,
      isBinary,
      addedLines: isBinary ? 0 : Number(added),
      deletedLines: isBinary ? 0 : Number(deleted),
    });
  }
  return listed;
}

/** Each commit's id precedes its changes, even if it has none. */
function parseEach<T>(
  output: string,
  commits: readonly string[],
  parse: (words: Words) => readonly T[] | undefined,
): readonly (T & WithCommit)[] | undefined {
  const words = wordsOf(output);
  const all: (T & WithCommit)[] = [];
  for (const commit of commits) {
    const isNext = words.take() === commit;
    const listed = parse(words);
    if (listed === undefined || !isNext) return undefined;
    all.push(...listed.map((change) => ({ ...change, commit })));
  }
  return words.peek() === "" ? all : undefined;
}

/** The path after the two numbers may contain tabs. For a rename it is empty, and two paths follow as words. */
const splitTwice = (word: string): (string | undefined)[] =>
  /^(?<added>\d+|-)\t(?<deleted>\d+|-)\t(?<path>.*)$/s.exec(word)?.slice(1) ?? [];

export function sideOf(mode: string, id: string): FileVersion | undefined {
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
