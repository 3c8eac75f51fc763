// Saga commits a story's start, status and journal on its branch so that a killed worker loses nothing. In the target
// these commits would be noise: their changes become part of the task commits beside them.

import type { Git } from "../../machine/programs/git.ts";
import { codeTree } from "../code-tree.ts";
import type { StoryCommit } from "./replay.ts";

type FoldableCommit = Omit<StoryCommit, "author">;

/** Oldest first. Saga's commits before the first task join it, all others join the task before them. Pure. */
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
  // A story without task commits is still one commit.
  return leading ? [leading] : folded;
}

/** The changes from the start of one commit to the end of another, with the message of the first. */
const upTo = <C extends FoldableCommit>(first: C, { commit, tree, committedAt }: C): C => ({
  ...first,
  commit,
  tree,
  committedAt,
});

/** Commits with the story's trailer but none of a task or run, and with changes only in `.saga`. */
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
