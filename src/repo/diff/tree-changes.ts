// The files that differ between two trees, read from git's objects without a process of its own. Only folders that
// differ are read, all of one depth at once.

import type { Git } from "../../machine/programs/git.ts";
import { readObjects } from "../../machine/programs/object-reader.ts";
import { treeEntries, type TreeEntry } from "../../machine/programs/tree-entries.ts";

export interface TreeChange {
  readonly path: string;
  readonly isDeleted: boolean;
}

interface Pair {
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}

/** `from` and `to` are ids of trees or commits. Undefined if there are more than `max`, or if an object is missing. */
export async function listTreeChanges(
  git: Git,
  { from, to, max }: { readonly from: string; readonly to: string; readonly max: number },
  isWanted: (path: string) => boolean,
): Promise<readonly TreeChange[] | undefined> {
  const changes: TreeChange[] = [];
  const roots = await readTrees(git, [`${from}^{tree}`, `${to}^{tree}`]);
  if (roots === undefined) return undefined;
  let pairs = pairsOf("", roots[0], roots[1]).filter(({ path }) => isWanted(path));
  while (pairs.length > 0) {
    const folders: Pair[] = [];
    for (const pair of pairs) {
      const { path, before, after } = pair;
      if (isFolder(before) || isFolder(after)) folders.push(pair);
      if (after && !isFolder(after)) changes.push({ path, isDeleted: false });
      else if (before && !isFolder(before)) changes.push({ path, isDeleted: true });
    }
    if (changes.length > max || folders.length > max) return undefined;
    const ids = folders.flatMap(({ before, after }) => [before, after].filter(isFolder));
    const trees = await readTrees(
      git,
      ids.map(({ id }) => id),
    );
    if (trees === undefined) return undefined;
    const remaining = trees.values();
    const next = (side: TreeEntry | undefined): readonly TreeEntry[] =>
      isFolder(side) ? (remaining.next().value ?? []) : [];
    pairs = folders.flatMap(({ path, before, after }) =>
      pairsOf(`${path}/`, next(before), next(after)),
    );
  }
  return changes;
}

const isFolder = (entry: TreeEntry | undefined): entry is TreeEntry => entry?.mode === "40000";

async function readTrees(
  git: Git,
  names: readonly string[],
): Promise<readonly (readonly TreeEntry[])[] | undefined> {
  const found = await readObjects(git, names);
  const trees = found.flatMap((object) => (object?.type === "tree" ? [treeEntries(object)] : []));
  return trees.length === names.length ? trees : undefined;
}

/** The entries of two folders that differ, by name. */
export function pairsOf(
  prefix: string,
  before: readonly TreeEntry[] = [],
  after: readonly TreeEntry[] = [],
): Pair[] {
  const old = new Map(before.map((entry) => [entry.name, entry]));
  const current = new Map(after.map((entry) => [entry.name, entry]));
  return [...new Set([...old.keys(), ...current.keys()])]
    .map((name) => ({ path: prefix + name, before: old.get(name), after: current.get(name) }))
    .filter((pair) => pair.before?.id !== pair.after?.id || pair.before?.mode !== pair.after?.mode);
}
