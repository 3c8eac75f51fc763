// Which merges a story's worker tries next. Pure. A merge whose two commits have been merged before is not repeated,
// whichever of the two workers did it.

import type { ChangedPaths, OpenWork, TriedMerge } from "./open-work.ts";
import { canConflict } from "./can-conflict.ts";

export interface OwnWork {
  readonly story: string;
  readonly tip: string;
  readonly changes: ChangedPaths;
  /** The branch that it goes into. Undefined if that does not exist, or if the story contains it. */
  readonly target: { readonly branch: string; readonly commit: string } | undefined;
}

export interface MergePlan {
  readonly try: readonly Pick<TriedMerge, "kind" | "name" | "commit">[];
  /** Still true: neither commit has changed. */
  readonly known: readonly TriedMerge[];
}

export function mergesToTry(
  own: OwnWork,
  before: OpenWork | undefined,
  others: readonly OpenWork[],
): MergePlan {
  const earlier = before?.tip === own.tip ? before.merges : [];
  const wanted = [
    ...(own.target
      ? [{ kind: "target" as const, name: own.target.branch, commit: own.target.commit }]
      : []),
    ...others
      .filter(({ story, changes }) => story !== own.story && canConflict(own.changes, changes))
      .filter(({ merges, story, tip }) => !isDoneBy({ merges, story, tip }, own, earlier))
      .map(({ story, tip }) => ({ kind: "story" as const, name: story, commit: tip })),
  ];
  const known = wanted.map((one) => earlier.find((merge) => isSame(merge, one)));
  return {
    try: wanted.filter((_, at) => known[at] === undefined),
    known: known.filter((merge) => merge !== undefined),
  };
}

/** The other's worker has merged the same two commits, and this one has not. */
const isDoneBy = (
  other: Pick<OpenWork, "story" | "tip" | "merges">,
  { story, tip }: OwnWork,
  earlier: readonly TriedMerge[],
): boolean =>
  !earlier.some((merge) =>
    isSame(merge, { kind: "story", name: other.story, commit: other.tip }),
  ) && other.merges.some((merge) => isSame(merge, { kind: "story", name: story, commit: tip }));

const isSame = (
  one: Pick<TriedMerge, "kind" | "name" | "commit">,
  other: Pick<TriedMerge, "kind" | "name" | "commit">,
): boolean => one.kind === other.kind && one.name === other.name && one.commit === other.commit;
