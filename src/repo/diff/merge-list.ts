// Lists what merges change themselves: the files whose version in the merge differs from that of every parent. All
// other changes came with a parent.

import type { Git } from "../../machine/programs/git.ts";
import type { FileVersion } from "./changes.ts";
import { listPerCommit, sideOf, type WithCommit, type Words } from "./diff-list.ts";

export interface MergeChange extends WithCommit {
  readonly path: string;
  /** The versions in the parents that have the file. */
  readonly befores: readonly FileVersion[];
  /** Undefined if the merge deletes the file. */
  readonly after: FileVersion | undefined;
}

export const listMergeChanges = (
  git: Git,
  merges: readonly string[],
): Promise<readonly MergeChange[]> => listPerCommit(git, DIFF, merges, parseMerge);

const DIFF = ["diff-tree", "-r", "-z", "--raw", "-c", "--no-renames", "--ignore-submodules=none"];

/** One colon per parent, then a mode and an id for each parent and for the merge. */
const RAW = /^(?<joined>::+)(?<modes>(?:\d{6} )+)(?<ids>(?:[0-9a-f]+ )+)[A-Z]+$/;

/** Undefined if the output is cut off. */
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
