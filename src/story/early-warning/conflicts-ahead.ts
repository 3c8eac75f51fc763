// The conflicts that a merge would meet, from the records of all open stories. Pure.

import type { OpenWork, TriedMerge } from "./open-work.ts";

export interface ConflictAhead {
  /** The two stories by name, or one story and its target. */
  readonly story: string;
  readonly with: Pick<TriedMerge, "kind" | "name">;
  readonly files: readonly string[];
  readonly since: string;
}

/** By name. A pair of stories is listed once. */
export function conflictsAhead(works: readonly OpenWork[]): ConflictAhead[] {
  const byStory = new Map(works.map((work) => [work.story, work]));
  const found: ConflictAhead[] = [];
  for (const work of works) {
    for (const merge of work.merges) {
      const { kind, name } = merge;
      if (kind === "target") add(work.story, merge);
      else {
        const other = byStory.get(name);
        const current = other && currentOf(work, other, merge);
        if (current) add(work.story, { ...current, kind, name });
      }
    }
  }
  return found.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)));

  function add(story: string, { kind, name, files, since }: TriedMerge): void {
    if (files.length === 0) return;
    const [first, second] = kind === "story" && name < story ? [name, story] : [story, name];
    found.push({ story: first, with: { kind, name: second }, files, since });
  }
}

/** Conflicts that this story has a part in. */
export const conflictsOf = (
  conflicts: readonly ConflictAhead[],
  storyId: string,
): readonly ConflictAhead[] => conflicts.filter((conflict) => isPartOf(conflict, storyId));

export const isPartOf = (
  { story, with: { kind, name } }: ConflictAhead,
  storyId: string,
): boolean => story === storyId || (kind === "story" && name === storyId);

/** What the story conflicts with, seen from its side. */
export const otherSide = (
  { story, with: other }: ConflictAhead,
  storyId: string,
): ConflictAhead["with"] => (story === storyId ? other : { kind: "story", name: story });

const keyOf = ({ story, with: { kind, name } }: ConflictAhead): string =>
  `${story} ${kind} ${name}`;

/**
 * The merge of the two that counts. Both workers may have tried one; the result for the current commits counts, and is
 * given for one side only. Undefined if this one does not count.
 */
function currentOf(work: OpenWork, other: OpenWork, merge: TriedMerge): TriedMerge | undefined {
  const answer = other.merges.find(({ kind, name }) => kind === "story" && name === work.story);
  const isCurrent = merge.commit === other.tip;
  // The other's worker has looked at its new commit since, and has found that the two cannot conflict.
  if (answer === undefined) return isCurrent ? merge : undefined;
  if (work.story > other.story) return undefined;
  if (isCurrent) return merge;
  return answer.commit === work.tip || other.at > work.at ? answer : merge;
}
