// Replays a story's commits on top of another commit. Author, date, message and trailers stay; Saga's own commits are
// folded into their neighbours (fold-own-commits.ts).
//
// This is a rebase without `git rebase`: each commit is merged in the object store, with its own parent as the base. So
// there is no intermediate state to clean up, and none of the settings that change a rebase (autosquash, autostash,
// update-refs, editors) apply.

import type { Git } from "../../machine/programs/git.ts";
import { findOwnCommits, fold } from "./fold-own-commits.ts";
import { mergeStory } from "./merge-story.ts";
import { treeOf } from "../refs.ts";
import { lastCommittedAt, writeCommit, type Author, type NewCommit } from "../write-commit.ts";

export interface Replay {
  readonly onto: string;
  /** Commits up to here are not replayed. */
  readonly since: string;
  readonly tip: string;
  /** Whose files are merged by their fields. */
  readonly storyIds: readonly string[];
}

export interface Replayed {
  readonly commit: string;
  readonly tree: string;
  /** Whether there are fewer commits than before. */
  readonly isFolded: boolean;
  /** The parts of the last commit; undefined if none was written. */
  readonly last: NewCommit | undefined;
}

/** Undefined if one of the commits is a merge or conflicts. */
export async function replay(
  git: Git,
  { onto, since, tip, storyIds }: Replay,
): Promise<Replayed | undefined> {
  const all = await readCommits(git, since, tip);
  if (all.some(({ parents }) => parents.length !== 1)) return undefined;
  const commits = fold(all, await findOwnCommits(git, all));
  const [first] = commits;
  if (first === undefined) return undefined;
  let before = await treeOf(git, first.parents[0] ?? "");
  const isFolded = commits.length < all.length;
  let at: Replayed = { commit: onto, tree: await treeOf(git, onto), isFolded, last: undefined };
  let committedAt = await lastCommittedAt(git, [onto]);
  for (const one of commits) {
    committedAt = Math.max(committedAt, one.committedAt);
    // An empty commit marks a completed task, so it stays.
    const isEmpty = one.tree === before;
    before = one.tree;
    const tree = isEmpty ? at.tree : await mergeOne(git, at.tree, one, { committedAt, storyIds });
    if (tree === undefined) return undefined;
    // The target already has this change.
    if (!isEmpty && tree === at.tree) continue;
    const { message, author } = one;
    const last = { tree, parents: [at.commit], message, author, committedAt };
    at = { commit: await writeCommit(git, last), tree, isFolded, last };
  }
  return at;
}

/** Git takes a merge's base from the history, so we write a commit whose parent is that base. */
async function mergeOne(
  git: Git,
  tree: string,
  { commit, parents }: StoryCommit,
  { committedAt, storyIds }: { readonly committedAt: number } & Pick<Replay, "storyIds">,
): Promise<string | undefined> {
  const here = await writeCommit(git, { tree, parents, message: "here\n", committedAt });
  const { merged } = await mergeStory(git, { ours: here, theirs: commit, storyIds });
  return merged.kind === "clean" ? merged.tree : undefined;
}

export interface StoryCommit extends NewCommit {
  readonly commit: string;
  readonly author: Author;
}

const FIELDS = ["%H", "%P", "%T", "%an", "%ae", "%ad", "%ct", "%B"];

/** Oldest first. */
export async function readCommits(git: Git, since: string, tip: string): Promise<StoryCommit[]> {
  const format = `--format=${FIELDS.map((field) => `${field}%x00`).join("")}`;
  const options = ["--reverse", "--topo-order", "--no-commit-header", "--date=raw", format];
  return parseCommits(await git.ask(["rev-list", ...options, tip, `^${since}`, "--"]));
}

/** Of the output of `git rev-list` with these fields. */
export function parseCommits(text: string): StoryCommit[] {
  const parts = text.split("\0");
  const commits: StoryCommit[] = [];
  // A message may contain anything but NUL. Git ends each record with a line break.
  for (let from = 0; from + FIELDS.length <= parts.length; from += FIELDS.length) {
    const [commit = "", parents = "", tree = "", name = "", email = "", date = "", time, message] =
      parts.slice(from, from + FIELDS.length);
    commits.push({
      commit: commit.trim(),
      parents: parents.split(" ").filter((parent) => parent !== ""),
      tree,
      author: { name, email, date },
      committedAt: Number(time),
      message: message ?? "",
    });
  }
  return commits;
}
