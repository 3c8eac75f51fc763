// Where a story's own work begins: all that its branch has from its target, whichever copy it came from.
// The branch here and what is known of the remote's may each have commits that the other lacks, and a
// story may have taken in either: what others did must not be judged as its own.

import type { Git } from "../machine/programs/git.ts";
import type { Base } from "./repository.ts";
import { mergeTips } from "./merge-tips.ts";
import { isAncestor } from "./refs.ts";
import { steadily } from "./deterministic-git.ts";
import { lastCommittedAt, writeCommit } from "./write-commit.ts";

/** A commit to compare the tip with; the base's own where nothing is in common, in a shallow clone say. */
export async function storyStart(
  git: Git,
  { base, tip }: { readonly base: Pick<Base, "commit" | "copies">; readonly tip: string },
): Promise<string> {
  let start: string | undefined;
  for (const copy of new Set([base.commit, ...base.copies])) {
    const shared = (await git.attempt(["merge-base", copy, tip])).stdout;
    if (shared === "") continue;
    start = start === undefined ? shared : await joinCommits(git, start, shared);
  }
  return start ?? base.commit;
}

/**
 * One that has all of two commits: the newer or, where they have gone apart, a merge of the two that is
 * on no branch. Where they conflict their conflicts are in it: whoever resolved them has changed that.
 */
export async function joinCommits(git: Git, one: string, other: string): Promise<string> {
  if (await isAncestor(git, one, other)) return other;
  if (await isAncestor(git, other, one)) return one;
  const { tree } = await mergeTips(steadily(git), one, other);
  const parents = [one, other];
  const committedAt = await lastCommittedAt(git, parents);
  return writeCommit(git, { tree, parents, message: "Both of them\n", committedAt });
}
