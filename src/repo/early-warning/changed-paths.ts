// The files that a story has changed, by name alone: what is compared before anything is merged.

import { posix } from "node:path";
import type { Git } from "../../machine/programs/git.ts";
import type { ChangedPaths } from "../../story/early-warning/open-work.ts";
import { listTreeChanges } from "../diff/tree-changes.ts";

/** More would cost each of the other workers more to read than a merge does. */
const MAX_PATHS = 5000;

/** `from`: where its own work begins. Saga's own files are left out: Saga merges them itself. */
export async function changedPaths(
  git: Git,
  from: string | undefined,
  tip: string,
): Promise<ChangedPaths> {
  const range = from && { from, to: tip, max: MAX_PATHS };
  const changes = range && (await listTreeChanges(git, range, (path) => path !== ".saga"));
  // Without a common commit, as in a shallow clone.
  if (!changes) return { paths: [], emptied: [], isEverything: true };
  const folders = changes.flatMap(({ path, isDeleted }) => (isDeleted ? posix.dirname(path) : []));
  return {
    paths: changes.map(({ path }) => path).toSorted(),
    emptied: [...new Set(folders)].filter((folder) => folder !== ".").toSorted(),
    isEverything: false,
  };
}

export const isSagas = (path: string): boolean => path.startsWith(".saga/");
