// Finds where a story's own work begins. The local target and the remote's copy may each have commits that the other
// lacks, and the story may have merged either. Work of others must not be judged as the story's.

import type { Git } from "../machine/programs/git.ts";
import type { Base } from "./repository.ts";
import { mergeTips } from "./merge-tips.ts";
import { isAncestor } from "./refs.ts";
import { steadily } from "./deterministic-git.ts";
import { lastCommittedAt, writeCommit } from "./write-commit.ts";

/** A commit to compare the tip with. Without a common commit, as in a shallow clone, it is the base's commit. */
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
 * A commit that contains both: the newer one or, if they have diverged, a merge of the two that is on no branch. Its
 * files may contain conflict markers; a story that resolved the conflict then shows up as changing those lines.
 */
export async function joinCommits(git: Git, one: string, other: string): Promise<string> {
  if (await isAncestor(git, one, other)) return other;
  if (await isAncestor(git, other, one)) return one;
  const { tree } = await mergeTips(steadily(git), one, other);
  const parents = [one, other];
  const committedAt = await lastCommittedAt(git, parents);
  return writeCommit(git, { tree, parents, message: "Both of them\n", committedAt });
}
