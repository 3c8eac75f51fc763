// What merges change by themselves: the files that are, in a merge, as none of the commits has them that
// it joins. All else came with one of those.

import type { Git } from "../../machine/programs/git.ts";
import type { FileVersion } from "./changes.ts";
import { listPerCommit, sideOf, type WithCommit, type Words } from "./diff-list.ts";

export interface MergeChange extends WithCommit {
  readonly path: string;
  /** In each of the joined commits that has it. */
  readonly befores: readonly FileVersion[];
  /** Nothing when it is deleted. */
  readonly after: FileVersion | undefined;
}

export const listMergeChanges = (
  git: Git,
  merges: readonly string[],
): Promise<readonly MergeChange[]> => listPerCommit(git, DIFF, merges, parseMerge);

const DIFF = ["diff-tree", "-r", "-z", "--raw", "-c", "--no-renames", "--ignore-submodules=none"];

/** As many colons as commits are joined, then a mode and an id for each, and for the merge. */
const RAW = /^(?<joined>::+)(?<modes>(?:\d{6} )+)(?<ids>(?:[0-9a-f]+ )+)[A-Z]+$/;

/** Nothing when it is not whole. */
function parseMerge({ take, peek }: Words): readonly Omit<MergeChange, "commit">[] | undefined {
  const changes: Omit<MergeChange, "commit">[] = [];
  while (peek().startsWith(":")) {
    const { joined = "", modes = "", ids = "" } = RAW.exec(take())?.groups ?? {};
    const modeOf = modes.trim().split(" ");
    const sides = ids
      .trim()
      .split(" ")
      .map((id, index) => sideOf(modeOf[index] ?? "", id));
    const path = take();
    if (sides.length !== joined.length + 1 || modeOf.length !== sides.length || path === "") {
      return undefined;
    }
    const befores = sides.slice(0, -1).filter((side) => side !== undefined);
    changes.push({ path, befores, after: sides.at(-1) });
  }
  return changes;
}
