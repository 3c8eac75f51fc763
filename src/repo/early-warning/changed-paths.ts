// The files that a story has changed, by name alone: what is compared before anything is merged.

import { posix } from "node:path";
import type { Git } from "../../machine/programs/git.ts";
import { codeTree } from "../code-tree.ts";
import { isRecentAncestor } from "../refs.ts";
import type { ChangedPaths } from "../../story/early-warning/open-work.ts";

/** More would cost each of the other workers more to read than a merge does. */
const MAX_PATHS = 5000;

/** Since the commit that it shares with its target. Saga's own files are left out: Saga merges them itself. */
export async function changedPaths(git: Git, target: string, tip: string): Promise<ChangedPaths> {
  if ((await isRecentAncestor(git, target, tip)) && (await isSameCode(git, target, tip))) {
    return { paths: [], emptied: [], isEverything: false };
  }
  const options = ["-r", "-z", "--name-status", "--no-renames", "--merge-base"];
  const { isOk, stdout } = await git.attempt(["diff-tree", ...options, target, tip, "--"]);
  // Without a common commit, as in a shallow clone.
  if (!isOk) return { paths: [], emptied: [], isEverything: true };
  const words = stdout.split("\0");
  const paths: string[] = [];
  const emptied = new Set<string>();
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [status, path = ""] = [words[at], words[at + 1]];
    if (isSagas(path)) continue;
    paths.push(path);
    const folder = posix.dirname(path);
    if (status === "D" && folder !== ".") emptied.add(folder);
  }
  if (paths.length > MAX_PATHS) return { paths: [], emptied: [], isEverything: true };
  return { paths: paths.toSorted(), emptied: [...emptied].toSorted(), isEverything: false };
}

/** A story that has just started has only files of Saga's. */
const isSameCode = async (git: Git, one: string, other: string): Promise<boolean> =>
  (await codeTree(git, one)) === (await codeTree(git, other));

export const isSagas = (path: string): boolean => path.startsWith(".saga/");
