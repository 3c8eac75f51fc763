// The conflicts that merges of open stories would meet, for people. Records of stories that have ended do not count.

import {
  conflictsAhead,
  conflictsOf,
  otherSide,
  type ConflictAhead,
} from "../../story/early-warning/conflicts-ahead.ts";
import type { Store } from "../store.ts";
import { isOpenWork, type Overview, type StoryView } from "./overview.ts";

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

/** Those of one story. Reads only the stories that it conflicts with. */
export async function readConflictsWith(
  { openWorks, viewStory }: Pick<Store, "openWorks" | "viewStory">,
  view: StoryView,
): Promise<readonly ConflictAhead[]> {
  if (!isOpenWork(view)) return [];
  const { id } = view.record;
  const found: ConflictAhead[] = [];
  for (const conflict of conflictsOf(conflictsAhead(await openWorks.list()), id)) {
    const { kind, name } = otherSide(conflict, id);
    // A story whose files are gone or invalid is not about to be merged.
    const other = kind === "story" ? await viewStory(name).catch(() => undefined) : undefined;
    if (kind === "target" || (other && isOpenWork(other))) found.push(conflict);
  }
  return found;
}

/** Among these stories and with their targets, by their records alone: the caller knows that they are open. */
export async function readConflictsOf(
  { openWorks }: Pick<Store, "openWorks">,
  storyIds: readonly string[],
): Promise<readonly ConflictAhead[]> {
  const works = await openWorks.list();
  return conflictsAhead(works.filter(({ story }) => storyIds.includes(story)));
}
