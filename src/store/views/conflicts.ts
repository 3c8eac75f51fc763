// The conflicts that merges of open stories would meet, for people. Records of stories that have ended do not count.

import { conflictsAhead, type ConflictAhead } from "../../story/early-warning/conflicts-ahead.ts";
import type { Store } from "../store.ts";
import { isOpenWork, type Overview } from "./overview.ts";

export async function readConflicts(
  { openWorks }: Pick<Store, "openWorks">,
  stories: Overview["stories"],
): Promise<readonly ConflictAhead[]> {
  const works = await openWorks.list();
  return conflictsAhead(
    works.filter(({ story }) => {
      const view = stories.get(story);
      return view !== undefined && isOpenWork(view);
    }),
  );
}

/** Among these stories and with their targets, by their records alone: the caller knows that they are open. */
export async function readConflictsOf(
  { openWorks }: Pick<Store, "openWorks">,
  storyIds: readonly string[],
): Promise<readonly ConflictAhead[]> {
  const works = await openWorks.list();
  return conflictsAhead(works.filter(({ story }) => storyIds.includes(story)));
}
