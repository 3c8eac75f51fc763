// Merges two commits in git's object store, without an index or files, so there is nothing to clean up.

import { SagaError } from "../errors.ts";
import { gitFailure } from "../machine/programs/git-failure.ts";
import { gitError, type Git } from "../machine/programs/git.ts";

export type MergedTips =
  | { readonly kind: "clean"; readonly tree: string }
  /** The files in the tree contain the conflict markers. */
  | { readonly kind: "conflict"; readonly tree: string; readonly files: readonly ConflictedFile[] };

export interface ConflictedFile {
  readonly path: string;
  readonly isInBase: boolean;
  readonly isInOurs: boolean;
  readonly isInTheirs: boolean;
}

export async function mergeTips(git: Git, ours: string, theirs: string): Promise<MergedTips> {
  const merged = await git.attempt(
    ["merge-tree", "--write-tree", "--no-messages", "-z"].concat(ours, theirs),
  );
  const [tree = "", ...entries] = merged.stdout.split("\0").filter((part) => part !== "");
  const isTree = /^[0-9a-f]{40,64}$/.test(tree);
  if (isTree && merged.isOk) return { kind: "clean", tree };
  if (isTree) return { kind: "conflict", tree, files: filesIn(entries) };
  const sentence = `${ours} and ${theirs} could not be merged: ${merged.stderr}`;
  if (gitFailure(merged) !== "unrelated-histories") throw gitError(sentence);
  throw new SagaError("program-failed", sentence, {
    hint: "They have no commit in common. In a shallow clone, run `git fetch --unshallow`.",
  });
}

/** `<mode> <object> <stage>\t<path>`, one for each side that has the file. */
export function filesIn(entries: readonly string[]): ConflictedFile[] {
  const stages = new Map<string, Set<string>>();
  for (const entry of entries) {
    const found = /^\d+ [0-9a-f]+ (?<stage>[123])\t(?<path>.+)$/s.exec(entry)?.groups;
    const path = found?.["path"];
    if (path === undefined) continue;
    stages.set(path, (stages.get(path) ?? new Set()).add(found?.["stage"] ?? ""));
  }
  return [...stages].map(([path, sides]) => ({
    path,
    isInBase: sides.has("1"),
    isInOurs: sides.has("2"),
    isInTheirs: sides.has("3"),
  }));
}
