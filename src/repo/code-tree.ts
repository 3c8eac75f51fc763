// The tree of a commit without `.saga`, which receipts refer to. Saga writes statuses, journal and receipts into `.saga`,
// and that must not look like a change of the code.

import { gitError, type Git } from "../machine/programs/git.ts";
import { readObjects } from "../machine/programs/object-reader.ts";
import { commitOf } from "./refs.ts";
import { treeEntries, treeId } from "../machine/programs/tree-entries.ts";

/** Of a commit by any name. The tree itself is not written. */
export async function codeTree(git: Git, commit: string): Promise<string> {
  const id = await commitOf(git, commit);
  const [tree] = id === undefined ? [] : await readObjects(git, [`${id}^{tree}`]);
  if (tree === undefined) throw gitError(`git cannot read the tree of ${commit} in ${git.folder}.`);
  const entries = treeEntries(tree);
  const code = entries.filter(({ name }) => name !== ".saga");
  return code.length === entries.length ? tree.id : treeId(code, tree.id);
}
