// Saga's own commits on a story's branch (its start, its status and journal) are there so that a killed worker loses
// nothing. In the target they would only be noise: their changes become part of the task commits beside them. Pure,
// but for the question which commits these are.

import type { Git } from "../../machine/programs/git.ts";
import { codeTree } from "../code-tree.ts";

interface FoldableCommit {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly tree: string;
  readonly committedAt: number;
  readonly message: string;
}

/** Oldest first. Those before the first task join it, all others the task before them. */
export function fold<C extends FoldableCommit>(
  commits: readonly C[],
  own: ReadonlySet<string>,
): C[] {
  const folded: C[] = [];
  let leading: C | undefined;
  for (const one of commits) {
    const last = folded.at(-1);
    if (!own.has(one.commit)) {
      folded.push(leading ? { ...one, parents: leading.parents } : one);
      leading = undefined;
    } else if (last) folded.splice(-1, 1, upTo(last, one));
    else leading = leading ? upTo(leading, one) : one;
  }
  // A story without a commit of its work is still one commit.
  return leading ? [leading] : folded;
}

/** All that was done from the start of one to the end of another, under the name of the first. */
const upTo = <C extends FoldableCommit>(first: C, { commit, tree, committedAt }: C): C => ({
  ...first,
  commit,
  tree,
  committedAt,
});

/** With Saga's trailer, no task's and no run's, and without a change outside of `.saga`. */
export async function findOwnCommits(
  git: Git,
  commits: readonly FoldableCommit[],
): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  for (const { commit, parents, message } of commits) {
    const [parent] = parents;
    if (!/^Saga-Story: /m.test(message) || /^Saga-(?:Task|Task-Part|Run): /m.test(message))
      continue;
    if (parent === undefined || parents.length > 1) continue;
    if ((await codeTree(git, parent)) === (await codeTree(git, commit))) own.add(commit);
  }
  return own;
}
