// The branch that a story of another machine goes into, fetched: that of its epic if the epic is delivered as one.

import type { Environment } from "../../machine/processes/environment.ts";
import { openForge } from "../../repo/open-forge.ts";
import { fetchAndFindBase, fetchBase, type Base, type Repository } from "../../repo/repository.ts";
import { findTarget, sharedBranch } from "../../repo/story-range.ts";
import type { Store } from "../../store/store.ts";
import type { Settings } from "../../story/settings/settings.ts";

interface StoryPlace {
  readonly repository: Repository;
  readonly store: Store;
  readonly env: Environment;
}

export async function fetchStoryBase(
  { repository, store, env }: StoryPlace,
  settings: Settings,
  storyId: string,
): Promise<Base> {
  const { epicId } = await store.viewStory(storyId);
  const epic = epicId === undefined ? undefined : (await store.readEpic(epicId)).epic;
  const shared = sharedBranch(epic, settings);
  if (shared !== undefined) await fetchBase(repository, shared, storyId);
  const forge = openForge(repository, { settings, env, now: Date.now });
  return findTarget(repository, { storyId, epic, settings, forge }, (setting) =>
    fetchAndFindBase(repository, { setting, storyId }),
  );
}
