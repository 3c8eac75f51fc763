// What a story has changed, as git's own unified diff: all of it, or one commit. Saga's own files are left
// out: they say what the story's page says already.

import { SagaError } from "../errors.ts";
import { rangeFacts, type Memory } from "./memory.ts";
import type { StoryDiff } from "./protocol.ts";
import { requireId } from "../story/names.ts";
import { findRange, type GitAround, type StoryRange } from "./story-range.ts";

/** What a browser shows without growing slow; the rest is for an editor. */
const MAX_CHARACTERS = 2_000_000;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const CODE = ["--", ":(top)", ":(top,exclude).saga"];
const PLAINLY = ["--no-ext-diff", "--no-textconv", "--no-color", "--find-renames"];

export async function readDiff(
  around: GitAround & { readonly memory: Memory },
  storyId: string,
  commit: string | undefined,
): Promise<StoryDiff> {
  const id = requireId("story", storyId);
  if (commit !== undefined && !COMMIT.test(commit)) {
    throw new SagaError("bad-id", "That is not the id of a commit.");
  }
  const range = await findRange(around, { id, ...rangeFacts(around.memory, id) });
  if (range === undefined) return { diff: "", isCut: false, files: [] };
  const ends = commit === undefined ? range : await oneCommit(range, commit);
  const diff = await range.git.ask(["diff", ...PLAINLY, ends.from, ends.to, ...CODE]);
  const numbers = await range.git.ask([
    "diff",
    "--numstat",
    "-z",
    ...PLAINLY,
    ends.from,
    ends.to,
    ...CODE,
  ]);
  return { ...cutDiff(diff), files: filesIn(numbers) };
}

/** Only what is the story's own: an id of anything else in the repository is none. */
async function oneCommit(
  { git, from, to }: StoryRange,
  commit: string,
): Promise<{ from: string; to: string }> {
  const own = await git.ask(["rev-list", `${from}..${to}`, "--"]);
  if (!own.split("\n").includes(commit)) {
    throw new SagaError("not-found", "The story has no such commit.", {
      hint: "Load the page again.",
    });
  }
  const parent = await git.attempt(["rev-parse", "--verify", "--quiet", `${commit}^1`]);
  return { from: parent.isOk ? parent.stdout : EMPTY_TREE, to: commit };
}

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** At the end of a file, where there is one: half a file would look like a change. */
function cutDiff(diff: string): { diff: string; isCut: boolean } {
  if (diff.length <= MAX_CHARACTERS) return { diff, isCut: false };
  const end = diff.lastIndexOf("\ndiff --git ", MAX_CHARACTERS);
  return { diff: end === -1 ? "" : diff.slice(0, end + 1), isCut: true };
}

/** `<added>\t<removed>\t<path>`, or with an empty path the old and the new one behind it. */
export function filesIn(numbers: string): StoryDiff["files"][number][] {
  const words = numbers.split("\0").values();
  const files: StoryDiff["files"][number][] = [];
  for (const word of words) {
    const found = /^(?<added>\d+|-)\t(?<removed>\d+|-)\t(?<path>.*)$/s.exec(word)?.groups;
    if (!found) continue;
    const { added = "", removed = "", path = "" } = found;
    const isRenamed = path === "";
    if (isRenamed) words.next();
    const name = isRenamed ? (words.next().value ?? "") : path;
    files.push({ path: name, added: Number(added) || 0, removed: Number(removed) || 0 });
  }
  return files;
}
