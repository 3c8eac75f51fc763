// What a story has changed, as git's own unified diff: all of it, or one commit. Saga's own files are left
// out: they say what the story's page says already. Files that are too large to be looked at here are only counted.

import { SagaError } from "../../errors.ts";
import { rangeFacts, type ProjectCache } from "../project/cache.ts";
import type { StoryDiff } from "../protocol/details.ts";
import { requireId } from "../../story/definition/names.ts";
import { findRange, type GitContext, type StoryRange } from "./story-range.ts";

/** What a browser shows without growing slow; the rest is for an editor. */
const MAX_CHARACTERS = 2_000_000;
const MAX_OF_A_FILE = 500_000;
const MAX_LINES_OF_A_FILE = 10_000;
/** More words than this are too long a command. */
const MAX_LEFT_OUT = 200;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const CODE = ["--", ":(top)", ":(top,exclude).saga"];
/** Names as they are: the page has to find them among the counted ones. */
const DIFF = ["-c", "core.quotePath=false", "diff"];
const PLAINLY = ["--no-ext-diff", "--no-textconv", "--no-color", "--find-renames"];

export async function readDiff(
  context: GitContext & { readonly cache: ProjectCache },
  storyId: string,
  commit: string | undefined,
): Promise<StoryDiff> {
  const id = requireId("story", storyId);
  if (commit !== undefined && !COMMIT.test(commit)) {
    throw new SagaError("bad-id", "Invalid commit id.");
  }
  const range = await findRange(context, { id, ...rangeFacts(context.cache, id) });
  if (range === undefined) return { diff: "", isCut: false, files: [] };
  const ends = commit === undefined ? range : await oneCommit(range, commit);
  const { from, to } = ends;
  const numbers = [...DIFF, "--numstat", "-z", ...PLAINLY, from, to, ...CODE];
  const files = changedIn(await range.git.ask(numbers));
  const leftOut = files.filter(isTooLong).slice(0, MAX_LEFT_OUT).flatMap(namesOf);
  const without = leftOut.map((path) => `:(top,exclude,literal)${path}`);
  const cut = cutDiff(await range.git.ask([...DIFF, ...PLAINLY, from, to, ...CODE, ...without]));
  return {
    diff: cut.diff,
    isCut: cut.isCut || leftOut.length > 0,
    files: files.map(counted),
  };
}

/** Only what is the story's own: an id of anything else in the repository is none. */
async function oneCommit(
  { git, from, to }: StoryRange,
  commit: string,
): Promise<{ from: string; to: string }> {
  const own = await git.ask(["rev-list", `${from}..${to}`, "--"]);
  if (!own.split("\n").includes(commit)) {
    throw new SagaError("not-found", "The commit does not belong to this story.", {
      hint: "Reload the page.",
    });
  }
  const parent = await git.attempt(["rev-parse", "--verify", "--quiet", `${commit}^1`]);
  return { from: parent.isOk ? parent.stdout : EMPTY_TREE, to: commit };
}

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

type ChangedFile = StoryDiff["files"][number] & {
  /** Its name before. */
  readonly from?: string;
};

const isTooLong = ({ added, removed }: ChangedFile): boolean =>
  added + removed > MAX_LINES_OF_A_FILE;

/** Both: of a file that was renamed, one alone would look new or removed. */
const namesOf = ({ path, from }: ChangedFile): string[] =>
  from === undefined ? [path] : [from, path];

const FILE = "diff --git ";

/** File by file: half a file would look like a change, and one that is large hides no other. */
function cutDiff(diff: string): { diff: string; isCut: boolean } {
  if (diff.length <= MAX_OF_A_FILE) return { diff, isCut: false };
  const kept: string[] = [];
  let room = MAX_CHARACTERS;
  let isCut = false;
  for (const file of diff.split(new RegExp(`^(?=${FILE})`, "m"))) {
    // What git could not say whole begins within a file.
    const fits = file.startsWith(FILE) && file.length <= Math.min(room, MAX_OF_A_FILE);
    isCut ||= !fits;
    if (!fits) continue;
    kept.push(file);
    room -= file.length;
  }
  return { diff: kept.join(""), isCut };
}

const counted = ({ path, added, removed }: ChangedFile): StoryDiff["files"][number] => ({
  path,
  added,
  removed,
});

/** `<added>\t<removed>\t<path>`, or with an empty path the old and the new one behind it. */
function changedIn(numbers: string): ChangedFile[] {
  const words = numbers.split("\0").values();
  const files: ChangedFile[] = [];
  for (const word of words) {
    const found = /^(?<added>\d+|-)\t(?<removed>\d+|-)\t(?<path>.*)$/s.exec(word)?.groups;
    if (!found) continue;
    const { added = "", removed = "", path = "" } = found;
    const counts = { added: Number(added) || 0, removed: Number(removed) || 0 };
    if (path !== "") files.push({ path, ...counts });
    else files.push({ from: words.next().value ?? "", path: words.next().value ?? "", ...counts });
  }
  return files;
}

export const filesIn = (numbers: string): StoryDiff["files"][number][] =>
  changedIn(numbers).map(counted);
