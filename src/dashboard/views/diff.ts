// The unified diff of a story, or of one of its commits, without Saga's own files. Files that are too large for a
// browser are only counted.

import { SagaError } from "../../errors.ts";
import { rangeFacts, type ProjectCache } from "../project/cache.ts";
import type { StoryDiff } from "../protocol/details.ts";
import { requireId } from "../../story/definition/names.ts";
import { readRange, type GitContext } from "./story-range.ts";
import type { StoryRange } from "../../repo/story-range.ts";

/** A browser slows down with more. */
const BROWSER_LIMITS: DiffLimits = {
  characters: 2_000_000,
  fileCharacters: 500_000,
  fileLines: 10_000,
};
const NO_LIMITS: DiffLimits = {
  characters: Infinity,
  fileCharacters: Infinity,
  fileLines: Infinity,
};

interface DiffLimits {
  readonly characters: number;
  readonly fileCharacters: number;
  readonly fileLines: number;
}

/** Each is an argument of the command, whose length is limited. */
const MAX_EXCLUDED = 200;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const CODE = ["--", ":(top)", ":(top,exclude).saga"];
/** Unquoted paths: the page matches them with the list of files. */
const DIFF = ["-c", "core.quotePath=false", "diff"];
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--full-index"];

/** All of the story if both are undefined. */
export interface DiffPart {
  readonly commit?: string | undefined;
  /** A commit of the story: only the changes after it. */
  readonly since?: string | undefined;
}

export async function readDiff(
  context: GitContext & { readonly cache: ProjectCache },
  storyId: string,
  { commit, since }: DiffPart,
): Promise<StoryDiff> {
  const id = requireId("story", storyId);
  for (const given of [commit, since]) if (given !== undefined) requireCommitId(given);
  const range = await readRange(context, { id, ...rangeFacts(context.cache, id) });
  if (range === undefined) return { diff: "", isCut: false, files: [] };
  if (since === undefined) return readRangeDiff(range, commit, BROWSER_LIMITS);
  const { to } = await oneCommit(range, since);
  return readRangeDiff({ ...range, from: to }, undefined, BROWSER_LIMITS);
}

/** Without a limit, all of it. */
export async function readRangeDiff(
  range: StoryRange,
  commit: string | undefined,
  limits: DiffLimits = NO_LIMITS,
): Promise<StoryDiff> {
  const ends = commit === undefined ? range : await oneCommit(range, commit);
  const { from, to } = ends;
  const numstat = [...DIFF, "--numstat", "-z", ...PLAIN, from, to, ...CODE];
  const files = changedFiles(await range.git.ask(numstat));
  const tooLong = files.filter(isTooLong(limits)).slice(0, MAX_EXCLUDED).flatMap(pathsOf);
  const exclusions = tooLong.map((path) => `:(top,exclude,literal)${path}`);
  const cut = cutDiff(
    await range.git.ask([...DIFF, ...PLAIN, from, to, ...CODE, ...exclusions]),
    limits,
  );
  return {
    diff: cut.diff,
    isCut: cut.isCut || tooLong.length > 0,
    files: files.map(fileCounts),
  };
}

/** Only commits of the story: an id from elsewhere in the repository is not found. */
async function oneCommit(
  { git, from, to }: StoryRange,
  commit: string,
): Promise<{ from: string; to: string }> {
  requireCommitId(commit);
  const own = await git.ask(["rev-list", `${from}..${to}`, "--"]);
  if (!own.split("\n").includes(commit)) {
    throw new SagaError("not-found", "The commit does not belong to this story.", {
      hint: "Reload the page.",
    });
  }
  const parent = await git.attempt(["rev-parse", "--verify", "--quiet", `${commit}^1`]);
  return { from: parent.isOk ? parent.stdout : EMPTY_TREE, to: commit };
}

/** Before it becomes an argument of git. */
function requireCommitId(commit: string): void {
  if (!COMMIT.test(commit)) throw new SagaError("bad-id", "Invalid commit id.");
}

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

type ChangedFile = StoryDiff["files"][number] & {
  /** The path before a rename. */
  readonly from?: string;
};

const isTooLong =
  ({ fileLines }: DiffLimits) =>
  ({ added, removed }: ChangedFile): boolean =>
    added + removed > fileLines;

/** Both paths of a renamed file: one alone would look added or removed. */
const pathsOf = ({ path, from }: ChangedFile): string[] =>
  from === undefined ? [path] : [from, path];

const FILE = "diff --git ";

/** Drops whole files: part of a file would look like its whole change, and a large file must not hide others. */
function cutDiff(
  diff: string,
  { characters, fileCharacters }: DiffLimits,
): { diff: string; isCut: boolean } {
  if (diff.length <= fileCharacters) return { diff, isCut: false };
  const shown: string[] = [];
  let remaining = characters;
  let isCut = false;
  for (const file of diff.split(new RegExp(`^(?=${FILE})`, "m"))) {
    // Truncated output of git starts in the middle of a file.
    const fits = file.startsWith(FILE) && file.length <= Math.min(remaining, fileCharacters);
    isCut ||= !fits;
    if (!fits) continue;
    shown.push(file);
    remaining -= file.length;
  }
  return { diff: shown.join(""), isCut };
}

const fileCounts = ({ path, added, removed }: ChangedFile): StoryDiff["files"][number] => ({
  path,
  added,
  removed,
});

/** Parses `<added>\t<removed>\t<path>`. For a rename the path is empty, and the old and new paths follow. */
export function changedFiles(numstat: string): ChangedFile[] {
  const parts = numstat.split("\0").values();
  const files: ChangedFile[] = [];
  for (const part of parts) {
    const found = /^(?<added>\d+|-)\t(?<removed>\d+|-)\t(?<path>.*)$/s.exec(part)?.groups;
    if (!found) continue;
    const { added = "", removed = "", path = "" } = found;
    const counts = { added: Number(added) || 0, removed: Number(removed) || 0 };
    if (path !== "") files.push({ path, ...counts });
    else files.push({ from: parts.next().value ?? "", path: parts.next().value ?? "", ...counts });
  }
  return files;
}
