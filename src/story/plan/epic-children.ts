// The stories that an epic's file lists in the target after a merge. Pure. A person may not have committed the epic, or
// their last change to it; the merged story's entry must arrive with the story, or others see a story whose epic does
// not list it. Stories that are not in the target are left out: an epic must not list stories that do not exist.

/** As it is in the file: `blockedBy` may be missing. */
export interface ListedChild {
  readonly id: string;
  readonly blockedBy?: readonly string[];
}

export interface ListedChildren {
  /** The target's list; undefined if the target does not have the epic. */
  readonly target: readonly ListedChild[] | undefined;
  /** The list in the person's project. */
  readonly own: readonly ListedChild[];
  readonly delivered: readonly string[];
  /** Whether the merge result has this story. */
  readonly isThere: (id: string) => boolean;
}

/** Undefined when the target's list stays as it is. */
export function childrenAfterMerge({
  target,
  own,
  delivered,
  isThere,
}: ListedChildren): readonly ListedChild[] | undefined {
  const before = target ?? [];
  const isListed = (id: string): boolean => before.some((child) => child.id === id);
  const added = own.filter(
    ({ id }) => isThere(id) && !isListed(id) && (target === undefined || delivered.includes(id)),
  );
  if (added.length === 0) return undefined;
  const addedIds = new Set(added.map(({ id }) => id));
  const isKnown = (id: string): boolean => addedIds.has(id) || isListed(id);
  return [
    ...before.map((child) => {
      const wanted = own.find(({ id }) => id === child.id)?.blockedBy ?? [];
      const more = wanted.filter((id) => addedIds.has(id));
      return more.length === 0 ? child : withBlockers(child, [...(child.blockedBy ?? []), ...more]);
    }),
    ...added.map((child) =>
      child.blockedBy === undefined ? child : withBlockers(child, child.blockedBy.filter(isKnown)),
    ),
  ];
}

const withBlockers = (child: ListedChild, blockedBy: readonly string[]): ListedChild => ({
  ...child,
  blockedBy: [...new Set(blockedBy)],
});
